"""Kernels of compiled programs, as LLVM IR: modules, which the driver makes of PTX once in a process, and launches."""

from __future__ import annotations

from halide_core.device_limits import MOST_THREADS, STATIC_SHARED
from halide_core.runtime.cuda.driver import DEVICE_ERROR, OUT_OF_MEMORY, RUN, constant, linked

# CUjit_option and CUfunction_attribute, cuda.h.
_ERROR_LOG, _ERROR_LOG_BYTES = 5, 6
_MOST_DYNAMIC_SHARED = 8
_LOG_BYTES = 2048

KERNELS = linked(f"""
; A module that is loaded: the next one, the driver's handle, and where the code that uses it keeps this record.
%hl.cuda.module = type {{ ptr, ptr, ptr }}
@hl.cuda.modules = linkonce_odr hidden global ptr null
@hl.cuda.loading = linkonce_odr hidden global [64 x i8] zeroinitializer, align 64
@hl.cuda.log = linkonce_odr hidden constant [2 x i32] [i32 {_ERROR_LOG}, i32 {_ERROR_LOG_BYTES}]
{constant("hl.cuda.log.format", "The driver does not take the text of the kernels: %s")}
{constant("hl.cuda.threads.format", f"%s: a block has %lld threads; a device allows {MOST_THREADS}")}

define weak i32 @halide_cuda_initialize_kernels(ptr %context, ptr %state, ptr %text, i32 %size) nounwind {{
  %seen = load atomic ptr, ptr %state acquire, align 8
  %there = icmp ne ptr %seen, null
  br i1 %there, label %ready, label %wait
ready:
  ret i32 0
wait:
  %l = call i32 @pthread_mutex_lock(ptr @hl.cuda.loading)
  %seen2 = load atomic ptr, ptr %state acquire, align 8
  %there2 = icmp ne ptr %seen2, null
  br i1 %there2, label %end, label %load
load:
  %loaded = call i32 @hl.cuda.load(ptr %context, ptr %state, ptr %text)
  br label %end
end:
  %code = phi i32 [ 0, %wait ], [ %loaded, %load ]
  %u = call i32 @pthread_mutex_unlock(ptr @hl.cuda.loading)
  ret i32 %code
}}

; Modules stay until the device is released.
define weak void @halide_cuda_finalize_kernels(ptr %context, ptr %state) nounwind {{
  ret void
}}

define linkonce_odr hidden i32 @hl.cuda.load(ptr %context, ptr %state, ptr %text) nounwind noinline {{
entry:
  %log = alloca [{_LOG_BYTES} x i8]
  %values = alloca [2 x ptr]
  %entered = call i32 @hl.cuda.enter(ptr %context)
  %bad = icmp ne i32 %entered, 0
  br i1 %bad, label %out, label %begin
out:
  ret i32 %entered
begin:
  %record = call ptr @malloc(i64 24)
  %none = icmp eq ptr %record, null
  br i1 %none, label %no.record, label %ask
no.record:
  call void @hl.cuda.leave()
  call void @hl.cuda.say(ptr %context, ptr @hl.cuda.no_record)
  ret i32 {OUT_OF_MEMORY}
ask:
  store i8 0, ptr %log
  store ptr %log, ptr %values
  %bytes.p = getelementptr [2 x ptr], ptr %values, i32 0, i32 1
  store ptr inttoptr (i64 {_LOG_BYTES} to ptr), ptr %bytes.p
  %module.p = getelementptr %hl.cuda.module, ptr %record, i32 0, i32 1
  %f = load ptr, ptr $cuModuleLoadDataEx
  %s = call i32 %f(ptr %module.p, ptr %text, i32 2, ptr @hl.cuda.log, ptr %values)
  %failed = icmp ne i32 %s, 0
  br i1 %failed, label %report, label %keep
report:
  call void @free(ptr %record)
  %code = call i32 @hl.cuda.failed(ptr %context, ptr $name.cuModuleLoadDataEx, i32 %s, i32 {DEVICE_ERROR})
  %said = load i8, ptr %log
  %words = icmp ne i8 %said, 0
  br i1 %words, label %tell, label %end
tell:
  call void @hl.cuda.say_of(ptr %context, ptr @hl.cuda.log.format, ptr %log)
  br label %end
keep:
  %others = load ptr, ptr @hl.cuda.modules
  store ptr %others, ptr %record
  %state.p = getelementptr %hl.cuda.module, ptr %record, i32 0, i32 2
  store ptr %state, ptr %state.p
  store ptr %record, ptr @hl.cuda.modules
  store atomic ptr %record, ptr %state release, align 8
  br label %end
end:
  %r = phi i32 [ %code, %report ], [ %code, %tell ], [ 0, %keep ]
  call void @hl.cuda.leave()
  ret i32 %r
}}

define weak i32 @halide_cuda_run(ptr %context, ptr %state, ptr %name, i32 %bx, i32 %by, i32 %bz, i32 %tx, i32 %ty,
    i32 %tz, i32 %shared, ptr %sizes, ptr %places, ptr %kinds) nounwind {{
entry:
  %function.p = alloca ptr
  %stream.p = alloca ptr
  %text = alloca [512 x i8]
  %x = sext i32 %tx to i64
  %y = sext i32 %ty to i64
  %z = sext i32 %tz to i64
  %xy = mul i64 %x, %y
  %xyz = mul i64 %xy, %z
  %many = icmp sgt i64 %xyz, {MOST_THREADS}
  br i1 %many, label %refuse, label %count
refuse:
  %n = call i32 (ptr, i64, ptr, ...) @snprintf(ptr %text, i64 512, ptr @hl.cuda.threads.format, ptr %name, i64 %xyz)
  call void @hl.cuda.say(ptr %context, ptr %text)
  ret i32 -1
count:
  %k = phi i64 [ 0, %entry ], [ %k1, %count ]
  %size.p = getelementptr i64, ptr %sizes, i64 %k
  %size = load i64, ptr %size.p
  %k1 = add i64 %k, 1
  %more = icmp ne i64 %size, 0
  br i1 %more, label %count, label %counted
counted:
  ; One more than there are, which are at least none.
  %handles = alloca i64, i64 %k1
  %arguments = alloca ptr, i64 %k1
  br label %head
head:
  %i = phi i64 [ 0, %counted ], [ %i1, %put ]
  %rest = icmp ult i64 %i, %k
  br i1 %rest, label %one, label %enter
one:
  %place.p = getelementptr ptr, ptr %places, i64 %i
  %place = load ptr, ptr %place.p
  %kind.p = getelementptr i8, ptr %kinds, i64 %i
  %kind = load i8, ptr %kind.p
  %is.buffer = icmp ne i8 %kind, 0
  br i1 %is.buffer, label %buffer, label %put
buffer:
  %handle.p = getelementptr i64, ptr %handles, i64 %i
  %device = load i64, ptr %place
  store i64 %device, ptr %handle.p
  br label %put
put:
  %given = phi ptr [ %place, %one ], [ %handle.p, %buffer ]
  %argument.p = getelementptr ptr, ptr %arguments, i64 %i
  store ptr %given, ptr %argument.p
  %i1 = add i64 %i, 1
  br label %head
enter:
  %entered = call i32 @hl.cuda.enter(ptr %context)
  %bad = icmp ne i32 %entered, 0
  br i1 %bad, label %out, label %which
out:
  ret i32 %entered
which:
  %asked = call i32 @hl.cuda.stream(ptr %context, ptr %stream.p)
  %no.stream = icmp ne i32 %asked, 0
  br i1 %no.stream, label %end, label %find
find:
  %module.p = getelementptr %hl.cuda.module, ptr %state, i32 0, i32 1
  %module = load ptr, ptr %module.p
  %get = load ptr, ptr $cuModuleGetFunction
  %s1 = call i32 %get(ptr %function.p, ptr %module, ptr %name)
  %bad1 = icmp ne i32 %s1, 0
  br i1 %bad1, label %failed, label %found
found:
  %function = load ptr, ptr %function.p
  %much = icmp sgt i32 %shared, {STATIC_SHARED}
  br i1 %much, label %allow, label %launch
allow:
  %set = load ptr, ptr $cuFuncSetAttribute
  %s2 = call i32 %set(ptr %function, i32 {_MOST_DYNAMIC_SHARED}, i32 %shared)
  %bad2 = icmp ne i32 %s2, 0
  br i1 %bad2, label %failed, label %launch
launch:
  %stream = load ptr, ptr %stream.p
  %run = load ptr, ptr $cuLaunchKernel
  %s3 = call i32 %run(ptr %function, i32 %bx, i32 %by, i32 %bz, i32 %tx, i32 %ty, i32 %tz, i32 %shared, ptr %stream,
      ptr %arguments, ptr null)
  %bad3 = icmp ne i32 %s3, 0
  br i1 %bad3, label %failed, label %end
failed:
  %what = phi ptr [ $name.cuModuleGetFunction, %find ], [ $name.cuFuncSetAttribute, %allow ],
      [ $name.cuLaunchKernel, %launch ]
  %status = phi i32 [ %s1, %find ], [ %s2, %allow ], [ %s3, %launch ]
  %r = call i32 @hl.cuda.failed(ptr %context, ptr %what, i32 %status, i32 {RUN})
  br label %end
end:
  %code = phi i32 [ %asked, %which ], [ 0, %launch ], [ %r, %failed ]
  call void @hl.cuda.leave()
  ret i32 %code
}}

; Gives back all that this program has of the device; nothing of it may be in use.
define weak void @halide_device_release(ptr %context, ptr %interface) nounwind {{
entry:
  %open = load atomic i32, ptr @hl.cuda.is_open acquire, align 4
  %closed = icmp eq i32 %open, 0
  br i1 %closed, label %nothing, label %enter
nothing:
  ret void
enter:
  %entered = call i32 @hl.cuda.enter(ptr %context)
  %bad = icmp ne i32 %entered, 0
  br i1 %bad, label %nothing, label %begin
begin:
  %wait = load ptr, ptr $cuCtxSynchronize
  %waited = call i32 %wait()
  call void @hl.cuda.give_back()
  %l = call i32 @pthread_mutex_lock(ptr @hl.cuda.loading)
  %all = load ptr, ptr @hl.cuda.modules
  store ptr null, ptr @hl.cuda.modules
  %unload = load ptr, ptr $cuModuleUnload
  br label %look
look:
  %record = phi ptr [ %all, %begin ], [ %next, %one ]
  %end = icmp eq ptr %record, null
  br i1 %end, label %done, label %one
one:
  %next = load ptr, ptr %record
  %module.p = getelementptr %hl.cuda.module, ptr %record, i32 0, i32 1
  %module = load ptr, ptr %module.p
  %s = call i32 %unload(ptr %module)
  %state.p = getelementptr %hl.cuda.module, ptr %record, i32 0, i32 2
  %state = load ptr, ptr %state.p
  store atomic ptr null, ptr %state release, align 8
  call void @free(ptr %record)
  br label %look
done:
  %u = call i32 @pthread_mutex_unlock(ptr @hl.cuda.loading)
  call void @hl.cuda.leave()
  %l2 = call i32 @pthread_mutex_lock(ptr @hl.cuda.opening)
  store atomic i32 0, ptr @hl.cuda.is_open release, align 4
  %device = load i32, ptr @hl.cuda.device
  %give = load ptr, ptr $cuDevicePrimaryCtxRelease_v2
  %s2 = call i32 %give(i32 %device)
  %u2 = call i32 @pthread_mutex_unlock(ptr @hl.cuda.opening)
  ret void
}}
""")
