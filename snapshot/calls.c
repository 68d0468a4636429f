/* The tables of calls and kinds of arguments, from their lists. */
#include "snapshot/calls.h"

const dry_argument dry_arguments[DRY_ARGUMENT_KIND_COUNT] = {
#define K(KIND, type, what, thing) [DRY_ARGUMENT_##KIND] = {DRY_FORM_VALUE, what, thing, sizeof(type)},
    DRY_VALUE_KINDS(K)
#undef K
#define K(KIND, type, what, thing) [DRY_ARGUMENT_##KIND] = {DRY_FORM_GIVEN, what, thing, sizeof(type)},
        DRY_GIVEN_KINDS(K)
#undef K
#define K(KIND, type, what, thing) [DRY_ARGUMENT_##KIND] = {DRY_FORM_MADE, what, thing, sizeof(type)},
            DRY_MADE_KINDS(K)
#undef K
};

const dry_call dry_calls[DRY_CALL_COUNT] = {
#define V(place, KIND) [place] = DRY_ARGUMENT_##KIND,
#define X(number, name, count, ...)                                                                          \
    [DRY_CALL_##name] = {#name, number, count, {DRY_ARGUMENTS_##count(V, __VA_ARGS__)}},
    DRY_RECORDED_CALLS(X)
#undef X
#undef V
};

int64_t dry_call_elements(const dry_call *call, const void *const *arguments)
{
    int64_t elements = 1;
    for (int i = 0; i < call->count; i++)
        if (call->kind[i] == DRY_ARGUMENT_COUNT)
            elements *= *(const int *)arguments[i];
    return elements;
}

/* A number names one call: two alike are two members of one name. */
#define X(number, ...) char call_##number;
struct dry_call_numbers {
    DRY_RECORDED_CALLS(X)
};
#undef X
