/*
 * A double of CUDA's driver for tests: host memory behind addresses, streams that run late, and
 * books of what is held. Commands wait in their stream until somebody waits for them, or asks an
 * event often enough; what a program may not do with a real driver is noted as misuse.
 *
 * One lock serves all. Calls are numbered, and one of them, or every one from it on, can be made to
 * fail.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <search.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define EXPORT __attribute__((visibility("default")))

enum {
  SUCCESS = 0,
  INVALID_VALUE = 1,
  OUT_OF_MEMORY = 2,
  NOT_INITIALIZED = 3,
  NO_DEVICE = 100,
  INVALID_DEVICE = 101,
  INVALID_CONTEXT = 201,
  INVALID_HANDLE = 400,
  NOT_READY = 600
};

#define GRANULARITY ((size_t)2 << 20)
#define ALIGNMENT 256
#define MOST_DEVICES 8

typedef enum { DEVICE, POOLED, HOST, RESERVED } kind;

/* A range of addresses. Ranges in the tree do not overlap. */
typedef struct {
  uintptr_t from, to;
  kind kind;
  int device;
  int accessible;   /* of what is reserved: mapped, and access was granted */
  uintptr_t mapped; /* of what is reserved: bytes mapped */
  void *pool;
} range;

typedef struct context {
  int device;
  int retained;
} context;

typedef struct stream stream;

typedef struct event {
  stream *stream; /* where it was recorded; NULL when it never was */
  uint64_t position;
  int held;     /* by the program */
  int awaited;  /* by commands of streams */
} event;

typedef enum { WRITE, READ, COPY, FILL, WAIT, CALL, FREE } verb;

typedef struct command {
  verb verb;
  uintptr_t target, source;
  size_t size;
  unsigned char value;
  event *event;
  stream *awaited;
  uint64_t position;
  void (*function)(void *);
  void *argument;
  struct command *next;
} command;

struct stream {
  context *context;
  command *first, *last;
  uint64_t put, done;
  int destroyed;
};

typedef struct {
  int device;
  size_t kept;
} pool;

typedef struct {
  int device;
  size_t size;
  int held, maps;
} physical;

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static int devices, initialized;
static size_t capacity, used[MOST_DEVICES];
static context contexts[MOST_DEVICES];
static void *ranges;
static long calls, failing;
static int failure, for_ever;
static long streams_held, events_held, pools_held, physicals_held, ranges_held;
static char failed[64], misuse[256];

static __thread context *current[64];
static __thread int depth;

static void note(const char *what) {
  if (!misuse[0]) snprintf(misuse, sizeof misuse, "%s", what);
}

/* ---- What tests call ---- */

EXPORT void double_reset(int number_of_devices, size_t bytes) {
  devices = number_of_devices;
  capacity = bytes;
  calls = 0;
  failing = -1;
  failure = 0;
  for_ever = 0;
  failed[0] = misuse[0] = 0;
  streams_held = events_held = pools_held = physicals_held = ranges_held = 0;
  depth = 0;
  memset(used, 0, sizeof used);
  for (int i = 0; i < MOST_DEVICES; i++) contexts[i] = (context){.device = i};
}

EXPORT void double_fail(long call, int status, int from_then_on) {
  failing = call;
  failure = status;
  for_ever = from_then_on;
  calls = 0;
}

EXPORT long double_calls(void) { return calls; }

EXPORT long double_held(int what) {
  long retained = 0;
  for (int i = 0; i < MOST_DEVICES; i++) retained += contexts[i].retained;
  switch (what) {
    case 0: return streams_held;
    case 1: return events_held;
    case 2: return pools_held;
    case 3: return physicals_held;
    case 4: return ranges_held;
    case 5: return retained;
    case 6: return depth;
    default: return (long)used[0];
  }
}

EXPORT const char *double_failed(void) { return failed; }

EXPORT const char *double_misuse(void) { return misuse; }

/* ---- Every call ---- */

/* Counts a call and says whether it is to fail. A call that gives something back does so in a
   driver whose context is lost, too: `dying` says that it must go on and answer the failure. */
static int enter(const char *name, int *dying) {
  pthread_mutex_lock(&lock);
  long number = calls++;
  *dying = 0;
  if (failing < 0 || number < failing || (number > failing && !for_ever)) return SUCCESS;
  if (number == failing) snprintf(failed, sizeof failed, "%s", name);
  *dying = number > failing;
  return failure;
}

static int leave(int status) {
  pthread_mutex_unlock(&lock);
  return status;
}

#define ENTER                                   \
  int dying_;                                   \
  int status_ = enter(__func__, &dying_);       \
  (void)dying_;                                 \
  if (status_ != SUCCESS) return leave(status_); \
  if (!initialized) return leave(NOT_INITIALIZED)

/* For calls that give something back. */
#define ENTER_RELEASE                                     \
  int dying_;                                             \
  int status_ = enter(__func__, &dying_);                 \
  if (status_ != SUCCESS && !(dying_ || for_ever)) return leave(status_)

#define NEED_CONTEXT                                     \
  if (depth == 0) {                                      \
    note("a call without a context");                    \
    return leave(INVALID_CONTEXT);                       \
  }                                                      \
  context *here = current[depth - 1];                    \
  (void)here

/* ---- Ranges ---- */

static int compare(const void *a, const void *b) {
  const range *x = a, *y = b;
  return x->to <= y->from ? -1 : x->from >= y->to ? 1 : 0;
}

static range *find(uintptr_t from, size_t size) {
  range wanted = {.from = from, .to = from + (size ? size : 1)};
  range **found = tfind(&wanted, &ranges, compare);
  return found ? *found : NULL;
}

static range *add(uintptr_t from, size_t size, kind kind, int device) {
  range *made = calloc(1, sizeof *made);
  *made = (range){.from = from, .to = from + size, .kind = kind, .device = device};
  tsearch(made, &ranges, compare);
  ranges_held++;
  return made;
}

static void drop(range *old) {
  tdelete(old, &ranges, compare);
  ranges_held--;
  free(old);
}

/* Memory of a device that commands may touch. */
static int usable(uintptr_t from, size_t size) {
  range *found = find(from, size);
  return found && found->from <= from && from + size <= found->to && found->kind != HOST &&
         (found->kind != RESERVED || found->accessible);
}

static int take(int device, size_t size) {
  if (size > capacity - used[device]) return OUT_OF_MEMORY;
  used[device] += size;
  return SUCCESS;
}

/* ---- Devices and contexts ---- */

EXPORT int cuInit(unsigned flags) {
  int dying;
  int status = enter(__func__, &dying);
  if (status != SUCCESS) return leave(status);
  /* Where no test can call, as in a process of its own. */
  const char *bytes = getenv("QUARRY_DRIVER_DOUBLE");
  if (!initialized && !devices && bytes) double_reset(1, strtoul(bytes, NULL, 10));
  initialized = 1;
  return leave(flags ? INVALID_VALUE : devices ? SUCCESS : NO_DEVICE);
}

EXPORT int cuDriverGetVersion(int *version) {
  ENTER;
  *version = 12040;
  return leave(SUCCESS);
}

EXPORT int cuDeviceGetCount(int *count) {
  ENTER;
  *count = devices;
  return leave(SUCCESS);
}

EXPORT int cuDeviceGet(int *device, int ordinal) {
  ENTER;
  if (ordinal < 0 || ordinal >= devices) return leave(INVALID_DEVICE);
  *device = ordinal;
  return leave(SUCCESS);
}

EXPORT int cuDeviceGetName(char *name, int length, int device) {
  ENTER;
  snprintf(name, (size_t)length, "Double %d", device);
  return leave(SUCCESS);
}

EXPORT int cuDeviceTotalMem_v2(size_t *bytes, int device) {
  ENTER;
  if (device < 0 || device >= devices) return leave(INVALID_DEVICE);
  *bytes = capacity;
  return leave(SUCCESS);
}

EXPORT int cuDeviceGetAttribute(int *value, int attribute, int device) {
  ENTER;
  if (device < 0 || device >= devices) return leave(INVALID_DEVICE);
  /* The last of several devices is an old one. */
  int old = devices > 1 && device == devices - 1;
  switch (attribute) {
    case 18: *value = old; break;
    case 75: *value = old ? 3 : 9; break;
    case 76: *value = 0; break;
    case 102:
    case 115: *value = !old; break;
    default: return leave(INVALID_VALUE);
  }
  return leave(SUCCESS);
}

EXPORT int cuDevicePrimaryCtxRetain(context **made, int device) {
  ENTER;
  if (device < 0 || device >= devices) return leave(INVALID_DEVICE);
  *made = &contexts[device];
  (*made)->retained++;
  return leave(SUCCESS);
}

EXPORT int cuDevicePrimaryCtxRelease_v2(int device) {
  ENTER_RELEASE;
  if (contexts[device].retained-- == 0) note("a context released too often");
  return leave(status_);
}

EXPORT int cuCtxPushCurrent_v2(context *pushed) {
  ENTER;
  if (pushed < contexts || pushed >= contexts + MOST_DEVICES || !pushed->retained) {
    note("a context that nobody retains was made current");
    return leave(INVALID_CONTEXT);
  }
  current[depth++] = pushed;
  return leave(SUCCESS);
}

EXPORT int cuCtxPopCurrent_v2(context **popped) {
  int dying;
  int status = enter(__func__, &dying);
  if (depth == 0) {
    note("nothing to pop");
    return leave(INVALID_CONTEXT);
  }
  *popped = current[--depth];
  return leave(status);
}

EXPORT int cuCtxGetDevice(int *device) {
  ENTER;
  NEED_CONTEXT;
  *device = here->device;
  return leave(SUCCESS);
}

/* ---- Memory ---- */

EXPORT int cuMemGetInfo_v2(size_t *free_bytes, size_t *total) {
  ENTER;
  NEED_CONTEXT;
  *free_bytes = capacity - used[here->device];
  *total = capacity;
  return leave(SUCCESS);
}

static int allocate(uintptr_t *address, size_t size, kind kind, int device) {
  if (size == 0) return INVALID_VALUE;
  if (kind != HOST && take(device, size) != SUCCESS) return OUT_OF_MEMORY;
  void *bytes = NULL;
  if (posix_memalign(&bytes, ALIGNMENT, size) != 0) return OUT_OF_MEMORY;
  *address = (uintptr_t)bytes;
  add(*address, size, kind, device);
  return SUCCESS;
}

static int give_back(uintptr_t address, kind kind) {
  range *found = find(address, 1);
  if (!found || found->from != address || found->kind != kind) {
    note("memory freed that is not allocated so");
    return INVALID_VALUE;
  }
  if (kind != HOST) used[found->device] -= found->to - found->from;
  drop(found);
  free((void *)address);
  return SUCCESS;
}

EXPORT int cuMemAlloc_v2(uintptr_t *address, size_t size) {
  ENTER;
  NEED_CONTEXT;
  return leave(allocate(address, size, DEVICE, here->device));
}

EXPORT int cuMemFree_v2(uintptr_t address) {
  ENTER_RELEASE;
  int result = give_back(address, DEVICE);
  return leave(status_ ? status_ : result);
}

EXPORT int cuMemHostAlloc(uintptr_t *address, size_t size, unsigned flags) {
  ENTER;
  NEED_CONTEXT;
  if (flags != 1) return leave(INVALID_VALUE);
  return leave(allocate(address, size, HOST, here->device));
}

EXPORT int cuMemFreeHost(uintptr_t address) {
  ENTER_RELEASE;
  int result = give_back(address, HOST);
  return leave(status_ ? status_ : result);
}

/* Structures as cuda.h lays them out. */
typedef struct {
  int type, handle_types;
  struct {
    int type, id;
  } location;
  void *windows;
  size_t most;
  unsigned short usage;
  unsigned char reserved[54];
} pool_properties;

typedef struct {
  int type, handle_types;
  struct {
    int type, id;
  } location;
  void *windows;
  struct {
    unsigned char compression, direct;
    unsigned short usage;
    unsigned char reserved[4];
  } flags;
} allocation_properties;

typedef struct {
  struct {
    int type, id;
  } location;
  int flags;
} access_description;

_Static_assert(sizeof(pool_properties) == 88, "CUmemPoolProps");
_Static_assert(sizeof(allocation_properties) == 32, "CUmemAllocationProp");
_Static_assert(sizeof(access_description) == 12, "CUmemAccessDesc");

EXPORT int cuMemPoolCreate(pool **made, const pool_properties *properties) {
  ENTER;
  if (properties->type != 1 || properties->location.type != 1 ||
      properties->location.id >= devices || properties->handle_types || properties->most)
    return leave(INVALID_VALUE);
  *made = calloc(1, sizeof **made);
  (*made)->device = properties->location.id;
  pools_held++;
  return leave(SUCCESS);
}

EXPORT int cuMemPoolSetAttribute(pool *pool, int attribute, const uint64_t *value) {
  ENTER;
  return leave(pool && attribute == 4 && *value == UINT64_MAX ? SUCCESS : INVALID_VALUE);
}

EXPORT int cuMemPoolTrimTo(pool *pool, size_t least) {
  ENTER;
  if (least) return leave(INVALID_VALUE);
  used[pool->device] -= pool->kept;
  pool->kept = 0;
  return leave(SUCCESS);
}

EXPORT int cuMemPoolDestroy(pool *pool) {
  ENTER_RELEASE;
  used[pool->device] -= pool->kept;
  pools_held--;
  free(pool);
  return leave(status_);
}

EXPORT int cuMemAllocFromPoolAsync(uintptr_t *address, size_t size, pool *from, stream *on) {
  ENTER;
  NEED_CONTEXT;
  if (on->destroyed) return leave(INVALID_HANDLE);
  size_t reused = size < from->kept ? size : from->kept;
  from->kept -= reused;
  used[from->device] -= reused;
  int status = allocate(address, size, POOLED, from->device);
  if (status == SUCCESS)
    find(*address, 1)->pool = from;
  else {
    from->kept += reused;
    used[from->device] += reused;
  }
  return leave(status);
}

static void put(stream *on, command what) {
  command *made = malloc(sizeof *made);
  *made = what;
  made->next = NULL;
  if (on->last)
    on->last->next = made;
  else
    on->first = made;
  on->last = made;
  on->put++;
}

EXPORT int cuMemFreeAsync(uintptr_t address, stream *on) {
  ENTER_RELEASE;
  put(on, (command){.verb = FREE, .target = address});
  return leave(status_);
}

/* ---- Virtual memory management ---- */

static int on_a_device(const allocation_properties *properties) {
  return properties->type == 1 && properties->location.type == 1 &&
         properties->location.id >= 0 && properties->location.id < devices &&
         !properties->handle_types;
}

EXPORT int cuMemGetAllocationGranularity(
    size_t *bytes, const allocation_properties *properties, int option) {
  ENTER;
  if (!on_a_device(properties) || option < 0 || option > 1) return leave(INVALID_VALUE);
  *bytes = GRANULARITY;
  return leave(SUCCESS);
}

EXPORT int cuMemAddressReserve(
    uintptr_t *address, size_t size, size_t alignment, uintptr_t wish, uint64_t flags) {
  ENTER;
  if (size == 0 || size % GRANULARITY || alignment || wish || flags) return leave(INVALID_VALUE);
  void *bytes = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (bytes == MAP_FAILED) return leave(OUT_OF_MEMORY);
  *address = (uintptr_t)bytes;
  add(*address, size, RESERVED, -1);
  return leave(SUCCESS);
}

EXPORT int cuMemAddressFree(uintptr_t address, size_t size) {
  ENTER_RELEASE;
  range *found = find(address, 1);
  if (!found || found->from != address || found->to - found->from != size ||
      found->kind != RESERVED || found->mapped) {
    note("addresses freed that are not reserved so, or are mapped");
    return leave(INVALID_VALUE);
  }
  drop(found);
  munmap((void *)address, size);
  return leave(status_);
}

EXPORT int cuMemCreate(
    physical **made, size_t size, const allocation_properties *properties, uint64_t flags) {
  ENTER;
  if (!on_a_device(properties) || size == 0 || size % GRANULARITY || flags)
    return leave(INVALID_VALUE);
  if (take(properties->location.id, size) != SUCCESS) return leave(OUT_OF_MEMORY);
  *made = calloc(1, sizeof **made);
  **made = (physical){.device = properties->location.id, .size = size, .held = 1};
  physicals_held++;
  return leave(SUCCESS);
}

static void end_if_unused(physical *memory) {
  if (memory->held || memory->maps) return;
  used[memory->device] -= memory->size;
  physicals_held--;
  free(memory);
}

EXPORT int cuMemRelease(physical *memory) {
  ENTER_RELEASE;
  memory->held = 0;
  end_if_unused(memory);
  return leave(status_);
}

EXPORT int cuMemMap(
    uintptr_t address, size_t size, size_t offset, physical *memory, uint64_t flags) {
  ENTER;
  range *found = find(address, size);
  if (!found || found->kind != RESERVED || found->from != address ||
      found->to - found->from != size || found->mapped || offset || flags ||
      size != memory->size || !memory->held) {
    note("memory mapped to addresses that are not reserved for it");
    return leave(INVALID_VALUE);
  }
  found->mapped = size;
  found->pool = memory;
  found->device = memory->device;
  memory->maps++;
  return leave(SUCCESS);
}

EXPORT int cuMemSetAccess(
    uintptr_t address, size_t size, const access_description *descriptions, size_t count) {
  ENTER;
  range *found = find(address, size);
  if (!found || !found->mapped || count != 1 || descriptions->location.type != 1 ||
      descriptions->location.id != found->device || descriptions->flags != 3)
    return leave(INVALID_VALUE);
  found->accessible = 1;
  mprotect((void *)address, size, PROT_READ | PROT_WRITE);
  return leave(SUCCESS);
}

EXPORT int cuMemUnmap(uintptr_t address, size_t size) {
  ENTER_RELEASE;
  range *found = find(address, size);
  if (!found || found->mapped != size || found->from != address) {
    note("addresses unmapped that are not mapped");
    return leave(INVALID_VALUE);
  }
  found->mapped = 0;
  found->accessible = 0;
  physical *memory = found->pool;
  memory->maps--;
  end_if_unused(memory);
  madvise((void *)address, size, MADV_DONTNEED);
  mprotect((void *)address, size, PROT_NONE);
  return leave(status_);
}

/* ---- Streams and events ---- */

static void run(stream *of, uint64_t until);

static void end_event_if_unused(event *old) {
  if (!old->held && !old->awaited) free(old);
}

static void run_first(stream *of) {
  command *first = of->first;
  switch (first->verb) {
    case WRITE:
      if (usable(first->target, first->size))
        memcpy((void *)first->target, (void *)first->source, first->size);
      else
        note("a command wrote memory that is not allocated");
      break;
    case READ:
      if (usable(first->source, first->size))
        memcpy((void *)first->target, (void *)first->source, first->size);
      else
        note("a command read memory that is not allocated");
      break;
    case COPY:
      if (usable(first->source, first->size) && usable(first->target, first->size))
        memmove((void *)first->target, (void *)first->source, first->size);
      else
        note("a command copied memory that is not allocated");
      break;
    case FILL:
      if (usable(first->target, first->size))
        memset((void *)first->target, first->value, first->size);
      else
        note("a command filled memory that is not allocated");
      break;
    case WAIT:
      if (first->awaited) run(first->awaited, first->position);
      first->event->awaited--;
      end_event_if_unused(first->event);
      break;
    case CALL:
      first->function(first->argument);
      break;
    case FREE: {
      range *found = find(first->target, 1);
      if (found && found->kind == POOLED) {
        pool *kept_by = found->pool;
        size_t size = found->to - found->from;
        if (give_back(first->target, POOLED) == SUCCESS) {
          kept_by->kept += size;
          used[kept_by->device] += size;
        }
      } else
        note("memory freed on a stream that is not of a pool");
      break;
    }
  }
  of->first = first->next;
  if (!of->first) of->last = NULL;
  of->done++;
  free(first);
}

static void run(stream *of, uint64_t until) {
  while (of->done < until) run_first(of);
}

EXPORT int cuStreamCreate(stream **made, unsigned flags) {
  ENTER;
  NEED_CONTEXT;
  if (flags != 1) return leave(INVALID_VALUE);
  *made = calloc(1, sizeof **made);
  (*made)->context = here;
  streams_held++;
  return leave(SUCCESS);
}

/* The struct stays, for events that were recorded on it. */
EXPORT int cuStreamDestroy_v2(stream *old) {
  ENTER_RELEASE;
  if (old->destroyed) note("a stream destroyed twice");
  run(old, old->put);
  old->destroyed = 1;
  streams_held--;
  return leave(status_);
}

#define NEED_STREAM(on)                              \
  NEED_CONTEXT;                                      \
  if ((on)->destroyed || (on)->context != here) {    \
    note("a stream used that is destroyed or of another context"); \
    return leave(INVALID_HANDLE);                    \
  }

EXPORT int cuStreamSynchronize(stream *of) {
  ENTER;
  NEED_STREAM(of);
  run(of, of->put);
  return leave(SUCCESS);
}

EXPORT int cuEventCreate(event **made, unsigned flags) {
  ENTER;
  NEED_CONTEXT;
  if (flags != 3) return leave(INVALID_VALUE);
  *made = calloc(1, sizeof **made);
  (*made)->held = 1;
  events_held++;
  return leave(SUCCESS);
}

EXPORT int cuEventRecord(event *recorded, stream *on) {
  ENTER;
  NEED_STREAM(on);
  recorded->stream = on;
  recorded->position = on->put;
  return leave(SUCCESS);
}

/* Each time it is asked, the device gets a little further. */
EXPORT int cuEventQuery(event *asked) {
  ENTER;
  NEED_CONTEXT;
  stream *of = asked->stream;
  if (!of || of->done >= asked->position) return leave(SUCCESS);
  run_first(of);
  return leave(of->done >= asked->position ? SUCCESS : NOT_READY);
}

EXPORT int cuEventSynchronize(event *awaited) {
  ENTER;
  NEED_CONTEXT;
  if (awaited->stream) run(awaited->stream, awaited->position);
  return leave(SUCCESS);
}

EXPORT int cuEventDestroy_v2(event *old) {
  ENTER_RELEASE;
  if (!old->held) note("an event destroyed twice");
  old->held = 0;
  events_held--;
  end_event_if_unused(old);
  return leave(status_);
}

EXPORT int cuStreamWaitEvent(stream *waiting, event *awaited, unsigned flags) {
  ENTER;
  NEED_STREAM(waiting);
  if (flags) return leave(INVALID_VALUE);
  awaited->awaited++;
  put(waiting,
      (command){
          .verb = WAIT,
          .event = awaited,
          .awaited = awaited->stream,
          .position = awaited->position});
  return leave(SUCCESS);
}

EXPORT int cuLaunchHostFunc(stream *on, void (*function)(void *), void *argument) {
  ENTER;
  NEED_STREAM(on);
  put(on, (command){.verb = CALL, .function = function, .argument = argument});
  return leave(SUCCESS);
}

/* ---- Copies ---- */

EXPORT int cuMemcpyHtoDAsync_v2(uintptr_t target, const void *source, size_t size, stream *on) {
  ENTER;
  NEED_STREAM(on);
  put(on, (command){.verb = WRITE, .target = target, .source = (uintptr_t)source, .size = size});
  return leave(SUCCESS);
}

EXPORT int cuMemcpyDtoHAsync_v2(void *target, uintptr_t source, size_t size, stream *on) {
  ENTER;
  NEED_STREAM(on);
  put(on, (command){.verb = READ, .target = (uintptr_t)target, .source = source, .size = size});
  return leave(SUCCESS);
}

EXPORT int cuMemcpyDtoDAsync_v2(uintptr_t target, uintptr_t source, size_t size, stream *on) {
  ENTER;
  NEED_STREAM(on);
  put(on, (command){.verb = COPY, .target = target, .source = source, .size = size});
  return leave(SUCCESS);
}

EXPORT int cuMemsetD8Async(uintptr_t target, unsigned char value, size_t size, stream *on) {
  ENTER;
  NEED_STREAM(on);
  put(on, (command){.verb = FILL, .target = target, .value = value, .size = size});
  return leave(SUCCESS);
}
