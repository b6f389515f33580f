"""The thread pool, as LLVM IR.

A parallel loop is a job: a task function, its closure, the range of iterations not yet taken, and the job in whose
task the loop stands (its parent).  It lives on the stack of the thread that met the loop, its owner, and is linked
into one stack of jobs while iterations are left.  Everyone takes a share of what is left, smaller towards the end, by
compare-and-swap; who takes the last share unlinks the job.  The owner works on its own job first; then, until others
have finished what they took of it, on jobs nested in it, so that what waits on a stack grows with the nesting of loops
alone.  Idle workers take from the job linked last.  Nobody ever waits for an iteration that nobody runs, so nesting
cannot deadlock.

A task answers 0 or an error code; the first error ends its job, and `hl.par_for` returns it.

Entering a job (`users`) happens under the lock while the job is linked; after the owner sees no users, nobody touches
it.  Idle threads spin for about 150 microseconds, yielding now and then, for they may stand on the processor that
another needs, before they sleep on a condition variable.  While others sleep, an owner begins alone, with few
iterations at a time, and wakes them as soon as what is left would take it long enough, at the speed so far.
A forked child starts its own workers. What tells whether there are any is in a page that the kernel clears in a child
(`hl.mark`): asking for the process's number takes as long as a small image. All symbols are hidden and linkonce, so
that objects share one pool when linked into one library. HL_NUM_THREADS sets the number of threads, the owner
included."""

from __future__ import annotations

from halide_core.runtime.processors import OF_ARCH

# Nanoseconds that an idle thread spins before it sleeps.
_SPIN = 150_000
# Waking a sleeping worker takes its owner some ten microseconds, and the worker's first iterations find nothing in
# its cache: it pays where what is left takes this many nanoseconds, in one loop, or in loops that follow each other
# with fewer nanoseconds between than these.
_WORTH_WAKING = 80_000
_BURST = 200_000
# Nanoseconds after which a loop's speed tells.
_SETTLED = 8_000
# Vector instructions of a loop, and of one iteration, that are woken for at once.
_SURELY, _LONG_ITERATION = 8_000_000, 400_000
# Of the iterations left, a thread takes one part in this many times the number of threads.
_SHARES = 4

# Every processor knows how to tell the time; cycle counters are out of reach of user programs on some.
_TEXT = """
; next, users, status; fn, closure, end, shares, parent, the job below in the stack, how the owner computes floats
%hl.job = type {{ i64, i32, i32, [48 x i8], ptr, ptr, i64, i64, ptr, ptr, i64 }}

@hl.lock = linkonce_odr hidden global [64 x i8] zeroinitializer, align 64
@hl.cond = linkonce_odr hidden global [64 x i8] zeroinitializer, align 64
@hl.jobs = linkonce_odr hidden global ptr null, align 64
@hl.sleepers = linkonce_odr hidden global i32 0, align 64
@hl.waiters = linkonce_odr hidden global i32 0
@hl.last = linkonce_odr hidden global i64 0
@hl.credit = linkonce_odr hidden global i64 0
@hl.threads = linkonce_odr hidden global i32 0, align 64
@hl.starting = linkonce_odr hidden global i32 0
@hl.pid = linkonce_odr hidden global i32 0
; Where it stands whether this process has its workers: @hl.no where there is no page that the kernel clears.
@hl.no = linkonce_odr hidden global i32 0
@hl.marked = linkonce_odr hidden global ptr @hl.no, align 8
@hl.env = linkonce_odr hidden unnamed_addr constant [15 x i8] c"HL_NUM_THREADS\\00"

declare i32 @pthread_create(ptr, ptr, ptr, ptr) nounwind
declare i32 @pthread_detach(i64) nounwind
declare i32 @pthread_mutex_lock(ptr) nounwind
declare i32 @pthread_mutex_unlock(ptr) nounwind
declare i32 @pthread_cond_wait(ptr, ptr) nounwind
declare i32 @pthread_cond_broadcast(ptr) nounwind
declare i32 @clock_gettime(i32, ptr) nounwind
declare i32 @sched_yield() nounwind
declare i32 @getpid() nounwind
declare ptr @mmap(ptr, i64, i32, i32, i32, i64) nounwind
declare i32 @munmap(ptr, i64) nounwind
declare i32 @madvise(ptr, i64, i32) nounwind
declare i64 @sysconf(i32) nounwind
declare ptr @getenv(ptr) nounwind
declare i32 @atoi(ptr) nounwind
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
{declarations}

; How this thread rounds and what it does to denormals: the control bits of MXCSR or FPCR.
define linkonce_odr hidden i64 @hl.float_control() alwaysinline nounwind {{
  {get_control}
}}
define linkonce_odr hidden void @hl.set_float_control(i64 %control) alwaysinline nounwind {{
  {set_control}
  ret void
}}

; Monotonic time in nanoseconds.
define linkonce_odr hidden i64 @hl.now() nounwind {{
  %time = alloca [2 x i64]
  %rc = call i32 @clock_gettime(i32 1, ptr %time)
  %rest = getelementptr [2 x i64], ptr %time, i32 0, i32 1
  %s = load i64, ptr %time
  %ns = load i64, ptr %rest
  %scaled = mul i64 %s, 1000000000
  %sum = add i64 %scaled, %ns
  ret i64 %sum
}}

; Takes %job off the stack where it is still on it.
define linkonce_odr hidden void @hl.unlink(ptr %job) nounwind {{
entry:
  %locked = call i32 @pthread_mutex_lock(ptr @hl.lock)
  br label %look
look:
  %place = phi ptr [ @hl.jobs, %entry ], [ %below, %next ]
  %here = load ptr, ptr %place
  %end = icmp eq ptr %here, null
  br i1 %end, label %done, label %compare
compare:
  %below = getelementptr %hl.job, ptr %here, i32 0, i32 9
  %found = icmp eq ptr %here, %job
  br i1 %found, label %remove, label %next
next:
  br label %look
remove:
  %rest = load ptr, ptr %below
  store atomic ptr %rest, ptr %place release, align 8
  br label %done
done:
  %unlocked = call i32 @pthread_mutex_unlock(ptr @hl.lock)
  ret void
}}

; A job with iterations left, entered; nested in %ancestor unless that is null.  The lock is held.
define linkonce_odr hidden ptr @hl.find(ptr %ancestor) nounwind {{
entry:
  %top = load ptr, ptr @hl.jobs
  %any = icmp eq ptr %ancestor, null
  br label %look
look:
  %job = phi ptr [ %top, %entry ], [ %rest, %next ]
  %none = icmp eq ptr %job, null
  br i1 %none, label %fail, label %left
left:
  %n = load atomic i64, ptr %job monotonic, align 8
  %end.p = getelementptr %hl.job, ptr %job, i32 0, i32 6
  %end = load i64, ptr %end.p
  %more = icmp slt i64 %n, %end
  br i1 %more, label %kin, label %next
kin:
  br i1 %any, label %take, label %climb
climb:
  %child = phi ptr [ %job, %kin ], [ %parent, %up ]
  %parent.p = getelementptr %hl.job, ptr %child, i32 0, i32 8
  %parent = load ptr, ptr %parent.p
  %descends = icmp eq ptr %parent, %ancestor
  br i1 %descends, label %take, label %up
up:
  %root = icmp eq ptr %parent, null
  br i1 %root, label %next, label %climb
next:
  %below = getelementptr %hl.job, ptr %job, i32 0, i32 9
  %rest = load ptr, ptr %below
  br label %look
take:
  %users.p = getelementptr %hl.job, ptr %job, i32 0, i32 1
  %users = atomicrmw add ptr %users.p, i32 1 monotonic
  ret ptr %job
fail:
  ret ptr null
}}

; Wakes sleepers where %rest iterations, at the speed of the last %share that began at %before, and the loops of just
; before that were run alone take long enough together.  Not in the first microseconds of a loop that began at
; %started: they tell of caches that are cold.  Answers whether it has, and what time it is.
define linkonce_odr hidden {{ i1, i64 }} @hl.rouse(i64 %started, i64 %before, i64 %share, i64 %rest)
    nounwind noinline {{
entry:
  %now = call i64 @hl.now()
  %age = sub i64 %now, %started
  %spent = sub i64 %now, %before
  %product = mul i64 %spent, %rest
  %ahead = udiv i64 %product, %share
  %credit = load atomic i64, ptr @hl.credit monotonic, align 8
  %total = add i64 %ahead, %credit
  %much = icmp ugt i64 %total, {worth}
  %known = icmp ugt i64 %age, {settled}
  %worth = and i1 %much, %known
  br i1 %worth, label %wake, label %end
wake:
  %b = call i32 @pthread_cond_broadcast(ptr @hl.cond)
  br label %end
end:
  %one = insertvalue {{ i1, i64 }} undef, i1 %worth, 0
  %both = insertvalue {{ i1, i64 }} %one, i64 %now, 1
  ret {{ i1, i64 }} %both
}}

; Runs iterations of %job until none is left.  %started: when this loop began if workers sleep that may be woken for
; it, else 0.
define linkonce_odr hidden void @hl.work(ptr %job, i64 %started) nounwind {{
entry:
  %status.p = getelementptr %hl.job, ptr %job, i32 0, i32 2
  %fn.p = getelementptr %hl.job, ptr %job, i32 0, i32 4
  %fn = load ptr, ptr %fn.p
  %closure.p = getelementptr %hl.job, ptr %job, i32 0, i32 5
  %closure = load ptr, ptr %closure.p
  %end.p = getelementptr %hl.job, ptr %job, i32 0, i32 6
  %end = load i64, ptr %end.p
  %shares.p = getelementptr %hl.job, ptr %job, i32 0, i32 7
  %shares = load i64, ptr %shares.p
  %wary = icmp ne i64 %started, 0
  br label %take
take:
  ; While others sleep, as many iterations as were done before, and no more than half of what is left: the speed is
  ; known soon, and nobody waits for a share.
  %alone = phi i1 [ %wary, %entry ], [ false, %settled ], [ %waits, %judged ]
  %done.count = phi i64 [ 0, %entry ], [ %done.count, %settled ], [ %done.now, %judged ]
  %before = phi i64 [ %started, %entry ], [ %before, %settled ], [ %now, %judged ]
  %first = load atomic i64, ptr %job monotonic, align 8
  br label %try
try:
  %lo = phi i64 [ %first, %take ], [ %seen, %swap ]
  %more = icmp slt i64 %lo, %end
  br i1 %more, label %swap, label %done
swap:
  %left = sub i64 %end, %lo
  %divisor = select i1 %alone, i64 2, i64 %shares
  %part = sdiv i64 %left, %divisor
  %fewer = icmp slt i64 %done.count, %part
  %careful = and i1 %alone, %fewer
  %amount = select i1 %careful, i64 %done.count, i64 %part
  %some = icmp sgt i64 %amount, 1
  %share = select i1 %some, i64 %amount, i64 1
  %hi = add i64 %lo, %share
  %pair = cmpxchg ptr %job, i64 %lo, i64 %hi monotonic monotonic
  %seen = extractvalue {{ i64, i1 }} %pair, 0
  %ok = extractvalue {{ i64, i1 }} %pair, 1
  br i1 %ok, label %taken, label %try
taken:
  %last = icmp eq i64 %hi, %end
  br i1 %last, label %unlink, label %run
unlink:
  call void @hl.unlink(ptr %job)
  br label %run
run:
  %lo32 = trunc i64 %lo to i32
  %hi32 = trunc i64 %hi to i32
  %status = call i32 %fn(ptr %job, ptr %closure, i32 %lo32, i32 %hi32)
  %good = icmp eq i32 %status, 0
  %judge = and i1 %good, %alone
  br i1 %judge, label %judged, label %settled
judged:
  %done.now = add i64 %done.count, %share
  %rest = sub i64 %end, %hi
  %answer = call {{ i1, i64 }} @hl.rouse(i64 %started, i64 %before, i64 %share, i64 %rest)
  %woken = extractvalue {{ i1, i64 }} %answer, 0
  %now = extractvalue {{ i1, i64 }} %answer, 1
  %waits = xor i1 %woken, true
  br label %take
settled:
  br i1 %good, label %take, label %failed
failed:
  %kept = cmpxchg ptr %status.p, i32 0, i32 %status monotonic monotonic
  store atomic i64 %end, ptr %job monotonic, align 8
  call void @hl.unlink(ptr %job)
  br label %done
done:
  {fence}
  ret void
}}

; Works on %job, entered before, and leaves it; afterwards it may be gone.  Floats are computed as its owner does.
define linkonce_odr hidden void @hl.help(ptr %job) nounwind {{
entry:
  %own = call i64 @hl.float_control()
  %control.p = getelementptr %hl.job, ptr %job, i32 0, i32 10
  %control = load i64, ptr %control.p
  call void @hl.set_float_control(i64 %control)
  call void @hl.work(ptr %job, i64 0)
  call void @hl.set_float_control(i64 %own)
  %users.p = getelementptr %hl.job, ptr %job, i32 0, i32 1
  %users = atomicrmw sub ptr %users.p, i32 1 seq_cst
  %waiters = load atomic i32, ptr @hl.waiters seq_cst, align 4
  %empty = icmp eq i32 %users, 1
  %awaited = icmp ne i32 %waiters, 0
  %tell = and i1 %empty, %awaited
  br i1 %tell, label %wake, label %done
wake:
  ; An owner on its way to sleep holds the lock until it sleeps.
  %l = call i32 @pthread_mutex_lock(ptr @hl.lock)
  %u = call i32 @pthread_mutex_unlock(ptr @hl.lock)
  %b = call i32 @pthread_cond_broadcast(ptr @hl.cond)
  br label %done
done:
  ret void
}}

; Helps with jobs nested in %own until nobody uses %own; forever with any job where %own is null.
define linkonce_odr hidden void @hl.serve(ptr %own) nounwind {{
entry:
  %users.p = getelementptr %hl.job, ptr %own, i32 0, i32 1
  %worker = icmp eq ptr %own, null
  br label %begin
begin:
  %start = call i64 @hl.now()
  br label %spin
spin:
  %turns = phi i32 [ 0, %begin ], [ %turns1, %idle ], [ %turns1, %yield ]
  br i1 %worker, label %look, label %check
check:
  %users = load atomic i32, ptr %users.p acquire, align 4
  %finished = icmp eq i32 %users, 0
  br i1 %finished, label %done, label %look
look:
  ; Owners look now and then only: jobs that are not theirs may stand there for long.
  %top = load atomic ptr, ptr @hl.jobs monotonic, align 8
  %some = icmp ne ptr %top, null
  %phase = and i32 %turns, 15
  %due = icmp eq i32 %phase, 0
  %eager = or i1 %worker, %due
  %try = and i1 %some, %eager
  br i1 %try, label %search, label %idle
search:
  %l = call i32 @pthread_mutex_lock(ptr @hl.lock)
  %found = call ptr @hl.find(ptr %own)
  %u = call i32 @pthread_mutex_unlock(ptr @hl.lock)
  %nothing = icmp eq ptr %found, null
  br i1 %nothing, label %idle, label %help
help:
  %job = phi ptr [ %found, %search ], [ %found2, %awake ]
  call void @hl.help(ptr %job)
  br label %begin
idle:
  {pause}
  %turns1 = add i32 %turns, 1
  %masked = and i32 %turns1, 127
  %long = icmp eq i32 %masked, 0
  br i1 %long, label %yield, label %spin
yield:
  %y = call i32 @sched_yield()
  %now = call i64 @hl.now()
  %spent = sub i64 %now, %start
  %tired = icmp ugt i64 %spent, {spin}
  br i1 %tired, label %sleep, label %spin
sleep:
  %l2 = call i32 @pthread_mutex_lock(ptr @hl.lock)
  %awaits = select i1 %worker, i32 0, i32 1
  %w = atomicrmw add ptr @hl.waiters, i32 %awaits seq_cst
  %found2 = call ptr @hl.find(ptr %own)
  %useless = icmp eq ptr %found2, null
  br i1 %useless, label %ask, label %awake
ask:
  br i1 %worker, label %wait, label %recheck
recheck:
  %users2 = load atomic i32, ptr %users.p seq_cst, align 4
  %finished2 = icmp eq i32 %users2, 0
  br i1 %finished2, label %awake, label %wait
wait:
  %s = atomicrmw add ptr @hl.sleepers, i32 1 monotonic
  %waited = call i32 @pthread_cond_wait(ptr @hl.cond, ptr @hl.lock)
  %s2 = atomicrmw sub ptr @hl.sleepers, i32 1 monotonic
  br label %awake
awake:
  %w2 = atomicrmw sub ptr @hl.waiters, i32 %awaits seq_cst
  %u2 = call i32 @pthread_mutex_unlock(ptr @hl.lock)
  br i1 %useless, label %begin, label %help
done:
  ret void
}}

define linkonce_odr hidden ptr @hl.worker(ptr %unused) nounwind {{
  call void @hl.serve(ptr null)
  ret ptr null
}}

; Marks this process as one that has its workers, in a page that is all zero in a forked child (MADV_WIPEONFORK).  Where
; there is no such page nothing is marked, and every loop asks for the process's number.
define linkonce_odr hidden void @hl.mark() nounwind noinline {{
entry:
  %known = load ptr, ptr @hl.marked
  %new = icmp eq ptr %known, @hl.no
  br i1 %new, label %map, label %mark
map:
  %page = call ptr @mmap(ptr null, i64 4096, i32 3, i32 34, i32 -1, i64 0)
  %number = ptrtoint ptr %page to i64
  %bad = icmp eq i64 %number, -1
  br i1 %bad, label %done, label %advise
advise:
  %rc = call i32 @madvise(ptr %page, i64 4096, i32 18)
  %refused = icmp ne i32 %rc, 0
  br i1 %refused, label %unmap, label %mark
unmap:
  %gone = call i32 @munmap(ptr %page, i64 4096)
  br label %done
mark:
  %place = phi ptr [ %known, %entry ], [ %page, %advise ]
  store atomic i32 1, ptr %place release, align 4
  store atomic ptr %place, ptr @hl.marked release, align 8
  br label %done
done:
  ret void
}}

; Makes the workers of this process, once.
define linkonce_odr hidden void @hl.start(i32 %pid) nounwind noinline {{
entry:
  %id = alloca i64
  br label %again
again:
  %ready = load atomic i32, ptr @hl.pid acquire, align 4
  %over = icmp eq i32 %ready, %pid
  br i1 %over, label %finish, label %claim
claim:
  %by = load atomic i32, ptr @hl.starting monotonic, align 4
  %other = icmp eq i32 %by, %pid
  br i1 %other, label %wait, label %swap
wait:
  %y = call i32 @sched_yield()
  br label %again
swap:
  %pair = cmpxchg ptr @hl.starting, i32 %by, i32 %pid acq_rel monotonic
  %mine = extractvalue {{ i32, i1 }} %pair, 1
  br i1 %mine, label %make0, label %again
make0:
  ; What a parent process left behind is of no use here.
  call void @llvm.memset.p0.i64(ptr @hl.lock, i8 0, i64 64, i1 false)
  call void @llvm.memset.p0.i64(ptr @hl.cond, i8 0, i64 64, i1 false)
  store ptr null, ptr @hl.jobs
  store i32 0, ptr @hl.sleepers
  store i32 0, ptr @hl.waiters
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
  call void @hl.mark()
  store atomic i32 %pid, ptr @hl.pid release, align 4
  br label %finish
finish:
  ret void
}}

; Calls %fn(job, %closure, lo, hi) for ranges that cover %extent iterations from %min.  %parent is the job of whose
; task this is part, %work what the loop costs in vector instructions.  Returns 0, or what a failing task returned.
define linkonce_odr hidden void @hl.fence() alwaysinline nounwind {{
  {fence}
  ret void
}}
define linkonce_odr hidden i32 @hl.par_for(ptr %parent, ptr %fn, ptr %closure, i32 %min, i32 %extent, i64 %work)
    nounwind {{
entry:
  %job = alloca %hl.job, align 64
  %end = add i32 %min, %extent
  %one = icmp sle i32 %extent, 1
  br i1 %one, label %alone, label %check
alone:
  %result = call i32 %fn(ptr %parent, ptr %closure, i32 %min, i32 %end)
  {fence}
  ret i32 %result
check:
  %place = load atomic ptr, ptr @hl.marked acquire, align 8
  %mark = load atomic i32, ptr %place acquire, align 4
  %marked = icmp ne i32 %mark, 0
  br i1 %marked, label %ready, label %start
start:
  %pid = call i32 @getpid()
  call void @hl.start(i32 %pid)
  br label %ready
ready:
  %threads = load i32, ptr @hl.threads
  %single = icmp sle i32 %threads, 1
  br i1 %single, label %alone, label %go
go:
  %threads64 = sext i32 %threads to i64
  %shares = mul i64 %threads64, {shares}
  %min64 = sext i32 %min to i64
  %extent64 = sext i32 %extent to i64
  %end64 = add i64 %min64, %extent64
  %users.p = getelementptr %hl.job, ptr %job, i32 0, i32 1
  %status.p = getelementptr %hl.job, ptr %job, i32 0, i32 2
  %fn.p = getelementptr %hl.job, ptr %job, i32 0, i32 4
  %closure.p = getelementptr %hl.job, ptr %job, i32 0, i32 5
  %end.p = getelementptr %hl.job, ptr %job, i32 0, i32 6
  %shares.p = getelementptr %hl.job, ptr %job, i32 0, i32 7
  %parent.p = getelementptr %hl.job, ptr %job, i32 0, i32 8
  %below.p = getelementptr %hl.job, ptr %job, i32 0, i32 9
  %control.p = getelementptr %hl.job, ptr %job, i32 0, i32 10
  %control = call i64 @hl.float_control()
  store i64 %control, ptr %control.p
  store i64 %min64, ptr %job
  store i32 0, ptr %users.p
  store i32 0, ptr %status.p
  store ptr %fn, ptr %fn.p
  store ptr %closure, ptr %closure.p
  store i64 %end64, ptr %end.p
  store i64 %shares, ptr %shares.p
  store ptr %parent, ptr %parent.p
  %l = call i32 @pthread_mutex_lock(ptr @hl.lock)
  %top = load ptr, ptr @hl.jobs
  store ptr %top, ptr %below.p
  store atomic ptr %job, ptr @hl.jobs release, align 8
  %sleepers = load atomic i32, ptr @hl.sleepers monotonic, align 4
  %u = call i32 @pthread_mutex_unlock(ptr @hl.lock)
  %asleep = icmp sgt i32 %sleepers, 0
  br i1 %asleep, label %ponder, label %shared
ponder:
  %each = sdiv i64 %work, %extent64
  %long = icmp sgt i64 %each, {long}
  %much = icmp sgt i64 %work, {surely}
  %sure = or i1 %long, %much
  br i1 %sure, label %wake, label %alone0
wake:
  %b = call i32 @pthread_cond_broadcast(ptr @hl.cond)
  br label %shared
alone0:
  %started = call i64 @hl.now()
  %before = load atomic i64, ptr @hl.last monotonic, align 8
  %gap = sub i64 %started, %before
  %stale = icmp uge i64 %gap, {burst}
  br i1 %stale, label %forget, label %shared
forget:
  store atomic i64 0, ptr @hl.credit monotonic, align 8
  br label %shared
shared:
  %wary = phi i64 [ 0, %go ], [ 0, %wake ], [ %started, %alone0 ], [ %started, %forget ]
  call void @hl.work(ptr %job, i64 %wary)
  call void @hl.serve(ptr %job)
  %ended = call i64 @hl.now()
  store atomic i64 %ended, ptr @hl.last monotonic, align 8
  %none = icmp eq i64 %wary, 0
  br i1 %none, label %joined, label %record
record:
  %took = sub i64 %ended, %wary
  %saved = load atomic i64, ptr @hl.credit monotonic, align 8
  %sum = add i64 %saved, %took
  store atomic i64 %sum, ptr @hl.credit monotonic, align 8
  br label %joined
joined:
  %status = load i32, ptr %status.p
  ret i32 %status
}}
"""


def thread_pool(arch: str) -> str:
    """The pool's functions for "x86" or "arm"; needs nothing but libc and libpthread."""
    return _TEXT.format(
        **OF_ARCH[arch], spin=_SPIN, worth=_WORTH_WAKING, burst=_BURST, shares=_SHARES,
        surely=_SURELY, settled=_SETTLED, long=_LONG_ITERATION,
    )


# The variable of code that uses the pool of its process, and the pool's function that it is set to.
POOL_ADDRESS, POOL_ENTRY = "hl.pool.address", "hl.shared_par_for"
_PARAMETERS = "ptr %parent, ptr %fn, ptr %closure, i32 %min, i32 %extent, i64 %work"


def process_pool(arch: str) -> str:
    """A pool for all code of a process, with the function POOL_ENTRY."""
    return f"""{thread_pool(arch)}
define i32 @{POOL_ENTRY}({_PARAMETERS}) nounwind {{
  %status = call i32 @hl.par_for({_PARAMETERS})
  ret i32 %status
}}
"""


def pool_elsewhere(arch: str) -> str:
    """What stands for the pool in code whose variable POOL_ADDRESS tells where it is."""
    return f"""@{POOL_ADDRESS} = global ptr null
{OF_ARCH[arch]["declarations"]}
define internal void @hl.fence() alwaysinline nounwind {{
  {OF_ARCH[arch]["fence"]}
  ret void
}}
define internal i32 @hl.par_for({_PARAMETERS}) nounwind {{
  %pool = load ptr, ptr @{POOL_ADDRESS}
  %status = call i32 %pool({_PARAMETERS})
  ret i32 %status
}}
"""
