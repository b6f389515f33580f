#include "HalideBuffer.h"
#include "HalideRuntimeCuda.h"
#include "run.h"
using Halide::Runtime::Buffer;
extern "C" int test() {
    Buffer<int32_t> in(21, 15), out(20, 14), second(20, 14);
    in.for_each_element([&](int x, int y) { in(x, y) = x * 3 + y; });
    in.set_host_dirty();
    if (run(in, out)) return 1;
    if (!out.device_dirty() || out.host_dirty() || !out.has_device_allocation()) return 2;
    if (run(out, second)) return 3;
    if (second.copy_to_host() || out.copy_to_host() || out.device_sync()) return 4;
    for (int y = 0; y < 14; y++)
        for (int x = 0; x < 20; x++)
            if (out(x, y) != x * 3 + y + 1 || second(x, y) != x * 3 + y + 2) return 5;
    // A part of what the device has; its own results come back into the whole.
    out.fill(7);
    out.set_host_dirty();
    out.copy_to_device(halide_cuda_device_interface());
    {
        Buffer<int32_t> part = out.cropped(0, 4, 8).cropped(1, 3, 5);
        if (run(in, part) || part.copy_to_host()) return 6;
    }
    for (int y = 0; y < 14; y++)
        for (int x = 0; x < 20; x++) {
            bool inside = x >= 4 && x < 12 && y >= 3 && y < 8;
            if (out(x, y) != (inside ? x * 3 + y + 1 : 7)) return 7;
        }
    Buffer<int32_t> both(nullptr, 20, 14);
    if (both.device_and_host_malloc(halide_cuda_device_interface())) return 8;
    if (run(in, both) || both.copy_to_host() || both(19, 13) != 19 * 3 + 13 + 1) return 9;
    Buffer<int32_t> wrapped(nullptr, 21, 15);
    in.copy_to_device(halide_cuda_device_interface());
    if (wrapped.device_wrap_native(halide_cuda_device_interface(), halide_cuda_get_device_ptr(nullptr, in))) return 10;
    wrapped.set_device_dirty();
    if (run(wrapped, second) || second.copy_to_host() || second(19, 13) != 19 * 3 + 13 + 1) return 11;
    wrapped.set_device_dirty(false);
    if (wrapped.device_detach_native()) return 12;
    Buffer<int32_t> query(nullptr, 0, 0);
    if (run(query, out) || query.dim(0).extent() != 20) return 13;
    in.device_deallocate();
    return in.has_device_allocation() || both.device_and_host_free(halide_cuda_device_interface()) ? 14 : 0;
}
