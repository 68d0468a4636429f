/* Makes the calls of a recording: one case for each row of the list in snapshot/calls.h. */
#include "host/replay/replay.h"
#include "snapshot/record.h"

/* pass_BODY and so on: what a call takes for an argument of a kind. */
#define K(KIND, type, ...)                                                                                   \
    static inline type pass_##KIND(const void *value)                                                        \
    {                                                                                                        \
        return *(const type *)value;                                                                         \
    }
DRY_VALUE_KINDS(K)
#undef K
#define K(KIND, type, ...)                                                                                   \
    static inline const type *pass_##KIND(const void *elements)                                              \
    {                                                                                                        \
        return elements;                                                                                     \
    }
DRY_GIVEN_KINDS(K)
#undef K
#define K(KIND, type, ...)                                                                                   \
    static inline type *pass_##KIND(void *elements)                                                          \
    {                                                                                                        \
        return elements;                                                                                     \
    }
DRY_MADE_KINDS(K)
#undef K

dry_result dry_replay_make_call(dry_world *world, dry_call_id id, void *const *arguments)
{
    switch (id) {
#define V(place, KIND) , pass_##KIND(arguments[place])
#define X(number, name, count, ...)                                                                          \
    case DRY_CALL_##name:                                                                                    \
        return name(world DRY_ARGUMENTS_##count(V, __VA_ARGS__));
        DRY_RECORDED_CALLS(X)
#undef X
#undef V
    default:
        return DRY_ERROR_ARGUMENT;
    }
}
