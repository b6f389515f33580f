"""The C++ source of a Python module around a compiled pipeline: one function, of arrays and numbers.

Arrays come by Python's buffer protocol.  As with Buffers, dimension 0 is an array's last axis; of arrays in Fortran's
order it is the first one."""

from __future__ import annotations

from collections.abc import Sequence
from string import Template

from halide_core.aot.compile import c_type
from halide_core.ir.types import Type

# (name, type, number of dimensions or None of a scalar, whether it is written)
Parameter = tuple[str, Type, int | None, bool]

_SOURCE = Template("""\
// Made by halide_core: the Python module $module with the function $function($names).
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <cstdint>
#include <cstring>
#include <vector>

struct halide_dimension_t {
    int32_t min, extent, stride;
    uint32_t flags;
};

struct halide_buffer_t {
    uint64_t device;
    const void *device_interface;
    uint8_t *host;
    uint64_t flags;
    uint8_t code, bits;
    uint16_t lanes;
    int32_t dimensions;
    halide_dimension_t *dim;
    void *padding;
};

extern "C" int $function($declared);
$declared_of_devices
namespace {

// What a pipeline says of its errors, for the exception that is raised.
std::vector<char> last_error;

// An array while the pipeline runs on it.
class Array {
public:
    Array() = default;
    Array(const Array &) = delete;
    ~Array() {
        if (held) PyBuffer_Release(&view);
    }

    // Whether `object` is an array of this kind; else a Python error is set.
    bool take(PyObject *object, const char *name, int code, int bits, int dimensions, bool written) {
        int flags = PyBUF_STRIDES | PyBUF_FORMAT | (written ? PyBUF_WRITABLE : 0);
        if (PyObject_GetBuffer(object, &view, flags) < 0) return false;
        held = true;
        if (view.ndim != dimensions) {
            PyErr_Format(PyExc_ValueError, "%s has %d dimensions, and not %d", name, view.ndim, dimensions);
            return false;
        }
        if (view.itemsize * 8 != (bits < 8 ? 8 : bits) || !is_of(code)) {
            PyErr_Format(PyExc_ValueError, "%s has elements of another type", name);
            return false;
        }
        bool first = PyBuffer_IsContiguous(&view, 'F') && !PyBuffer_IsContiguous(&view, 'C');
        dim.resize(dimensions);
        for (int d = 0; d < dimensions; d++) {
            int axis = first ? d : dimensions - 1 - d;
            if (view.shape[axis] > INT32_MAX || view.strides[axis] % view.itemsize != 0) {
                PyErr_Format(PyExc_ValueError, "axis %d of %s is too long, or lies between elements", axis, name);
                return false;
            }
            dim[d] = {0, (int32_t)view.shape[axis], (int32_t)(view.strides[axis] / view.itemsize), 0};
        }
        buffer = {0, nullptr, (uint8_t *)view.buf, 0, (uint8_t)code, (uint8_t)bits, 1, dimensions, dim.data(), nullptr};
        return true;
    }

    halide_buffer_t buffer;

private:
    bool is_of(int code) const {
        const char *format = view.format ? view.format : "B";
        if (strchr("@=<", format[0])) format++;
        const char *kinds[] = {"bhilqn", "?BHILQN", "efd"};
        return format[0] && !format[1] && strchr(kinds[code], format[0]);
    }

    Py_buffer view;
    bool held = false;
    std::vector<halide_dimension_t> dim;
};

void too_large(const char *name) {
    PyErr_Format(PyExc_OverflowError, "%s is too large", name);
}

template<typename T>
bool integer(PyObject *object, const char *name, T *out) {
    bool is_signed = (T)-1 < (T)0;
    PyObject *number = PyNumber_Index(object);
    if (!number) return false;
    if (is_signed) {
        long long v = PyLong_AsLongLong(number);
        *out = (T)v;
        if (!PyErr_Occurred() && (long long)*out != v) too_large(name);
    } else {
        unsigned long long v = PyLong_AsUnsignedLongLong(number);
        *out = (T)v;
        if (!PyErr_Occurred() && (unsigned long long)*out != v) too_large(name);
    }
    Py_DECREF(number);
    return !PyErr_Occurred();
}

template<typename T>
bool real(PyObject *object, const char *, T *out) {
    *out = (T)PyFloat_AsDouble(object);
    return !PyErr_Occurred();
}

bool truth(PyObject *object, const char *, bool *out) {
    int v = PyObject_IsTrue(object);
    *out = v > 0;
    return v >= 0;
}

PyObject *call(PyObject *, PyObject *args, PyObject *named) {
    static const char *names[] = {$quoted, nullptr};
    PyObject *given[$count];
    if (!PyArg_ParseTupleAndKeywords(args, named, "$format", (char **)names, $pointers)) return nullptr;
$conversions
    int status;
    Py_BEGIN_ALLOW_THREADS
    status = $function($passed);
$afterwards    Py_END_ALLOW_THREADS
    if (status != 0) {
        PyErr_Format(PyExc_RuntimeError, "$function failed with error %d%s%s", status, last_error.empty() ? "" : ": ",
                     last_error.empty() ? "" : last_error.data());
        last_error.clear();
        return nullptr;
    }
    Py_RETURN_NONE;
}

PyMethodDef methods[] = {
    {"$function", (PyCFunction)(void (*)())call, METH_VARARGS | METH_KEYWORDS, "$function($names)"},
    {nullptr, nullptr, 0, nullptr},
};

PyModuleDef module = {PyModuleDef_HEAD_INIT, "$module", nullptr, -1, methods, nullptr, nullptr, nullptr, nullptr};

}  // namespace

// Takes the place of the function in the pipeline's object, which writes to standard error.
extern "C" void halide_error(void *, const char *message) {
    last_error.assign(message, message + strlen(message) + 1);
}

PyMODINIT_FUNC PyInit_$module(void) {
    return PyModule_Create(&module);
}
""")


_OF_DEVICES = """\
extern "C" int halide_copy_to_host(void *, halide_buffer_t *);
extern "C" int halide_device_free(void *, halide_buffer_t *);
"""


def python_extension(symbol: str, parameters: Sequence[Parameter], on_device: bool = False) -> str:
    """The source of the module `symbol` with a function of that name.  `on_device`: it runs kernels; its results are
    brought to the host, and the device's memory is given back."""
    conversions: list[str] = []
    passed: list[str] = []
    declared: list[str] = []
    for k, (name, t, dimensions, written) in enumerate(parameters):
        if dimensions is None:
            kind = "truth" if t.is_bool() else "real" if t.is_float() else "integer"
            conversions += [f"    {c_type(t)} v{k};", f'    if (!{kind}(given[{k}], "{name}", &v{k})) return nullptr;']
            passed.append(f"v{k}")
            declared.append(c_type(t))
            continue
        flags = f"{int(t.code)}, {int(t.bits)}, {dimensions}, {'true' if written else 'false'}"
        conversions += [f"    Array v{k};", f'    if (!v{k}.take(given[{k}], "{name}", {flags})) return nullptr;']
        passed.append(f"&v{k}.buffer")
        declared.append("halide_buffer_t *")
    afterwards: list[str] = []
    if on_device:
        arrays = [(k, written) for k, (_, _, dimensions, written) in enumerate(parameters) if dimensions is not None]
        copy = "    if (status == 0) status = halide_copy_to_host(nullptr, &v{k}.buffer);\n"
        afterwards += [copy.format(k=k) for k, written in arrays if written]
        afterwards += [f"    halide_device_free(nullptr, &v{k}.buffer);\n" for k, _ in arrays]
    names = [name for name, *_ in parameters]
    return _SOURCE.substitute(
        module=symbol,
        function=symbol,
        names=", ".join(names),
        quoted=", ".join(f'"{n}"' for n in names),
        count=len(names),
        format="O" * len(names),
        pointers=", ".join(f"&given[{k}]" for k in range(len(names))),
        conversions="\n".join(conversions),
        passed=", ".join(passed),
        declared=", ".join(declared),
        declared_of_devices=_OF_DEVICES if on_device else "",
        afterwards="".join(afterwards),
    )
