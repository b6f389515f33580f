"""The thread pool, as LLVM IR.

One loop runs in parallel at a time: a second caller, be it another user thread or a task of the loop itself, finds
the pool busy and runs its loop alone.  Workers enter a loop through `gate` (an open bit and a count of those
inside), so that the caller, whose stack holds the closure, can close it and wait until nobody is inside.  Whoever
waits yields now and then, for it may stand on the processor that another needs.  Idle
workers spin for about 150 microseconds before they sleep on a condition variable, and are woken for loops that are
worth it only.  A forked child starts its own
workers.  All symbols are hidden and linkonce, so that objects share one pool when linked into one library."""

from __future__ import annotations

_OPEN = 1 << 30
# Cycles that an idle worker spins before it sleeps: about 150 microseconds.
_SPIN_CYCLES = 400_000
# Waking a sleeping worker takes tens of microseconds, so it must pay: this many vector instructions (about 100
# microseconds) in one loop, or in loops that follow each other with fewer cycles between than these.
_WORTH_WAKING = 400_000
_BURST_CYCLES = 500_000

_TEXT = """
@hl.lock = linkonce_odr hidden global [64 x i8] zeroinitializer, align 64
@hl.cond = linkonce_odr hidden global [64 x i8] zeroinitializer, align 64
@hl.gate = linkonce_odr hidden global i32 0, align 64
@hl.next = linkonce_odr hidden global i64 0, align 64
@hl.end = linkonce_odr hidden global i64 0, align 64
@hl.chunk = linkonce_odr hidden global i64 0
@hl.last = linkonce_odr hidden global i64 0
@hl.credit = linkonce_odr hidden global i64 0
@hl.fn = linkonce_odr hidden global ptr null
@hl.closure = linkonce_odr hidden global ptr null
@hl.busy = linkonce_odr hidden global i32 0, align 64
@hl.sleepers = linkonce_odr hidden global i32 0, align 64
@hl.threads = linkonce_odr hidden global i32 0, align 64
@hl.pid = linkonce_odr hidden global i32 0
@hl.env = linkonce_odr hidden unnamed_addr constant [15 x i8] c"HL_NUM_THREADS\\00"

declare i32 @pthread_create(ptr, ptr, ptr, ptr) nounwind
declare i32 @pthread_detach(i64) nounwind
declare i32 @pthread_mutex_lock(ptr) nounwind
declare i32 @pthread_mutex_unlock(ptr) nounwind
declare i32 @pthread_cond_wait(ptr, ptr) nounwind
declare i32 @pthread_cond_broadcast(ptr) nounwind
declare i32 @sched_yield() nounwind
declare i32 @getpid() nounwind
declare i64 @sysconf(i32) nounwind
declare ptr @getenv(ptr) nounwind
declare i32 @atoi(ptr) nounwind
declare i64 @llvm.readcyclecounter()
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
{pause_declaration}

define linkonce_odr hidden void @hl.work() nounwind {{
entry:
  %fn = load ptr, ptr @hl.fn
  %closure = load ptr, ptr @hl.closure
  %end = load i64, ptr @hl.end
  %chunk = load i64, ptr @hl.chunk
  br label %take
take:
  %lo = atomicrmw add ptr @hl.next, i64 %chunk monotonic
  %more = icmp slt i64 %lo, %end
  br i1 %more, label %run, label %done
run:
  %past = add i64 %lo, %chunk
  %fits = icmp slt i64 %past, %end
  %hi = select i1 %fits, i64 %past, i64 %end
  %lo32 = trunc i64 %lo to i32
  %hi32 = trunc i64 %hi to i32
  call void %fn(ptr %closure, i32 %lo32, i32 %hi32)
  br label %take
done:
  {fence}
  ret void
}}

define linkonce_odr hidden i1 @hl.enter() nounwind {{
entry:
  %gate = load atomic i32, ptr @hl.gate acquire, align 4
  br label %try
try:
  %old = phi i32 [ %gate, %entry ], [ %seen, %swap ]
  %open = icmp uge i32 %old, {open}
  br i1 %open, label %swap, label %no
swap:
  %new = add i32 %old, 1
  %pair = cmpxchg ptr @hl.gate, i32 %old, i32 %new acq_rel acquire
  %seen = extractvalue {{ i32, i1 }} %pair, 0
  %ok = extractvalue {{ i32, i1 }} %pair, 1
  br i1 %ok, label %yes, label %try
yes:
  ret i1 true
no:
  ret i1 false
}}

define linkonce_odr hidden ptr @hl.worker(ptr %unused) nounwind {{
entry:
  br label %begin
begin:
  %start = call i64 @llvm.readcyclecounter()
  br label %spin
spin:
  %turns = phi i32 [ 0, %begin ], [ %turns1, %more ], [ %turns1, %give ]
  %turns1 = add i32 %turns, 1
  %gate = load atomic i32, ptr @hl.gate acquire, align 4
  %open = icmp uge i32 %gate, {open}
  br i1 %open, label %look, label %idle
look:
  %next = load atomic i64, ptr @hl.next monotonic, align 8
  %end = load atomic i64, ptr @hl.end monotonic, align 8
  %left = icmp slt i64 %next, %end
  br i1 %left, label %enter, label %idle
enter:
  %in = call i1 @hl.enter()
  br i1 %in, label %work, label %idle
work:
  call void @hl.work()
  %was = atomicrmw sub ptr @hl.gate, i32 1 release
  br label %begin
idle:
  {pause}
  %now = call i64 @llvm.readcyclecounter()
  %spent = sub i64 %now, %start
  %tired = icmp ugt i64 %spent, {spin}
  %turn = and i32 %turns1, 127
  %polite = icmp eq i32 %turn, 0
  br i1 %tired, label %sleep, label %more
more:
  br i1 %polite, label %give, label %spin
give:
  %gave = call i32 @sched_yield()
  br label %spin
sleep:
  %locked = call i32 @pthread_mutex_lock(ptr @hl.lock)
  %before = atomicrmw add ptr @hl.sleepers, i32 1 seq_cst
  %gate2 = load atomic i32, ptr @hl.gate seq_cst, align 4
  %open2 = icmp uge i32 %gate2, {open}
  %next2 = load atomic i64, ptr @hl.next monotonic, align 8
  %end2 = load atomic i64, ptr @hl.end monotonic, align 8
  %left2 = icmp slt i64 %next2, %end2
  %stay = and i1 %open2, %left2
  br i1 %stay, label %wake, label %wait
wait:
  %waited = call i32 @pthread_cond_wait(ptr @hl.cond, ptr @hl.lock)
  br label %wake
wake:
  %after = atomicrmw sub ptr @hl.sleepers, i32 1 seq_cst
  %unlocked = call i32 @pthread_mutex_unlock(ptr @hl.lock)
  br label %begin
}}

define linkonce_odr hidden void @hl.start(i32 %pid) nounwind noinline {{
entry:
  %id = alloca i64
  call void @llvm.memset.p0.i64(ptr @hl.lock, i8 0, i64 64, i1 false)
  call void @llvm.memset.p0.i64(ptr @hl.cond, i8 0, i64 64, i1 false)
  store atomic i32 0, ptr @hl.gate seq_cst, align 4
  store atomic i32 0, ptr @hl.sleepers seq_cst, align 4
  store i32 %pid, ptr @hl.pid
  %text = call ptr @getenv(ptr @hl.env)
  %unset = icmp eq ptr %text, null
  br i1 %unset, label %count, label %read
read:
  %asked = call i32 @atoi(ptr %text)
  %positive = icmp sgt i32 %asked, 0
  br i1 %positive, label %known, label %count
count:
  %cpus = call i64 @sysconf(i32 84)
  %cpus32 = trunc i64 %cpus to i32
  br label %known
known:
  %raw = phi i32 [ %asked, %read ], [ %cpus32, %count ]
  %big = icmp sgt i32 %raw, 256
  %capped = select i1 %big, i32 256, i32 %raw
  br label %head
head:
  %n = phi i32 [ 1, %known ], [ %n1, %made ]
  %want = icmp slt i32 %n, %capped
  br i1 %want, label %make, label %done
make:
  %rc = call i32 @pthread_create(ptr %id, ptr null, ptr @hl.worker, ptr null)
  %bad = icmp ne i32 %rc, 0
  br i1 %bad, label %done, label %made
made:
  %thread = load i64, ptr %id
  %detached = call i32 @pthread_detach(i64 %thread)
  %n1 = add i32 %n, 1
  br label %head
done:
  store i32 %n, ptr @hl.threads
  ret void
}}

define linkonce_odr hidden void @hl.par_for(ptr %fn, ptr %closure, i32 %min, i32 %extent, i64 %work) nounwind {{
entry:
  %end = add i32 %min, %extent
  %one = icmp sle i32 %extent, 1
  br i1 %one, label %alone, label %claim
claim:
  %pair = cmpxchg ptr @hl.busy, i32 0, i32 1 acq_rel monotonic
  %mine = extractvalue {{ i32, i1 }} %pair, 1
  br i1 %mine, label %check, label %alone
alone:
  call void %fn(ptr %closure, i32 %min, i32 %end)
  {fence}
  ret void
check:
  %pid = call i32 @getpid()
  %known = load i32, ptr @hl.pid
  %same = icmp eq i32 %pid, %known
  br i1 %same, label %ready, label %start
start:
  call void @hl.start(i32 %pid)
  br label %ready
ready:
  %threads = load i32, ptr @hl.threads
  %single = icmp sle i32 %threads, 1
  br i1 %single, label %release, label %go
release:
  store atomic i32 0, ptr @hl.busy release, align 4
  br label %alone
go:
  %tasks = shl i32 %threads, 2
  %chunk0 = sdiv i32 %extent, %tasks
  %zero = icmp slt i32 %chunk0, 1
  %chunk = select i1 %zero, i32 1, i32 %chunk0
  %chunk64 = sext i32 %chunk to i64
  %min64 = sext i32 %min to i64
  %end64 = sext i32 %end to i64
  store ptr %fn, ptr @hl.fn
  store ptr %closure, ptr @hl.closure
  store i64 %chunk64, ptr @hl.chunk
  store atomic i64 %end64, ptr @hl.end monotonic, align 8
  store atomic i64 %min64, ptr @hl.next monotonic, align 8
  store atomic i32 {open}, ptr @hl.gate seq_cst, align 4
  %sleepers = load atomic i32, ptr @hl.sleepers seq_cst, align 4
  %asleep = icmp sgt i32 %sleepers, 0
  br i1 %asleep, label %weigh, label %work0
weigh:
  %now = call i64 @llvm.readcyclecounter()
  %last = load i64, ptr @hl.last
  %gap = sub i64 %now, %last
  %recent = icmp ult i64 %gap, {burst}
  %saved = load i64, ptr @hl.credit
  %kept = select i1 %recent, i64 %saved, i64 0
  %credit = add i64 %kept, %work
  store i64 %credit, ptr @hl.credit
  %worth = icmp ugt i64 %credit, {worth}
  br i1 %worth, label %rouse, label %work0
rouse:
  %l = call i32 @pthread_mutex_lock(ptr @hl.lock)
  %b = call i32 @pthread_cond_broadcast(ptr @hl.cond)
  %u = call i32 @pthread_mutex_unlock(ptr @hl.lock)
  br label %work0
work0:
  call void @hl.work()
  %closed = atomicrmw and ptr @hl.gate, i32 {mask} acq_rel
  br label %wait
wait:
  %tries = phi i32 [ 0, %work0 ], [ %tries1, %again ]
  %gate = load atomic i32, ptr @hl.gate acquire, align 4
  %empty = icmp eq i32 %gate, 0
  br i1 %empty, label %finish, label %again0
again0:
  {pause}
  %tries1 = add i32 %tries, 1
  %masked = and i32 %tries1, 127
  %long = icmp eq i32 %masked, 0
  br i1 %long, label %yield, label %again
yield:
  %y = call i32 @sched_yield()
  br label %again
again:
  br label %wait
finish:
  %ended = call i64 @llvm.readcyclecounter()
  store i64 %ended, ptr @hl.last
  store atomic i32 0, ptr @hl.busy release, align 4
  ret void
}}
"""


def thread_pool(arch: str) -> str:
    """The pool's functions for "x86" or "arm"; needs nothing but libc and libpthread."""
    if arch == "x86":
        declaration = "declare void @llvm.x86.sse2.pause()\ndeclare void @llvm.x86.sse.sfence()"
        pause = "call void @llvm.x86.sse2.pause()"
        fence = "call void @llvm.x86.sse.sfence()"  # after streaming stores
    else:
        declaration, pause = "declare void @llvm.aarch64.hint(i32)", "call void @llvm.aarch64.hint(i32 1)"
        fence = ""
    return _TEXT.format(
        pause_declaration=declaration, pause=pause, fence=fence, open=_OPEN, mask=_OPEN - 1, spin=_SPIN_CYCLES,
        worth=_WORTH_WAKING, burst=_BURST_CYCLES,
    )
