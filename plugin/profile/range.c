/* SPDX-License-Identifier: BSD-3-Clause */
// Interval arithmetic: what an expression can be at least and at most, whatever the packet says.
#include "loader.h"

struct range {
	uint64_t min, max;
};

// Smallest number of the form 2^n - 1 that is not below value.
static uint64_t all_ones(uint64_t value) {
	return value == 0 ? 0 : UINT64_MAX >> __builtin_clzll(value);
}

// a = a op b. NULL when all results are good, else what is wrong.
static const char *range_apply(enum ddp_op op, struct range *a, const struct range *b) {
	switch (op) {
	case DDP_OP_ADD:
		a->min += b->min;
		if (__builtin_add_overflow(a->max, b->max, &a->max))
			return "can become too large";
		return NULL;
	case DDP_OP_SUB:
		if (a->min < b->max)
			return "can become negative";
		a->min -= b->max;
		a->max -= b->min;
		return NULL;
	case DDP_OP_MUL:
		a->min *= b->min;
		if (__builtin_mul_overflow(a->max, b->max, &a->max))
			return "can become too large";
		return NULL;
	case DDP_OP_SHL:
		if (b->max > 63 || (a->max != 0 && b->max > (unsigned int)__builtin_clzll(a->max)))
			return "can become too large";
		a->min <<= b->min;
		a->max <<= b->max;
		return NULL;
	case DDP_OP_SHR:
		if (b->max > 63)
			return "shifts by more than 63 bits";
		a->min >>= b->max;
		a->max >>= b->min;
		return NULL;
	case DDP_OP_BIT_AND:
		a->min = 0;
		a->max = a->max < b->max ? a->max : b->max;
		return NULL;
	case DDP_OP_BIT_OR:
		a->min = a->min > b->min ? a->min : b->min;
		a->max = all_ones(a->max | b->max);
		return NULL;
	default: // comparisons and logic
		*a = (struct range){0, 1};
		return NULL;
	}
}

bool expr_range(const struct ddp_expr *expr, uint64_t *min, uint64_t *max, const char **what) {
	struct range stack[DDP_EXPR_STACK];
	unsigned int n = 0;

	for (unsigned int i = 0; i < expr->n_ops; i++) {
		const struct ddp_expr_op *op = &expr->ops[i];

		if (op->op == DDP_OP_CONST) {
			stack[n++] = (struct range){op->value, op->value};
		} else if (op->op == DDP_OP_FIELD) {
			*what = "uses a field of more than 64 bits";
			if (op->ref.bits > 64)
				return false;
			stack[n++] = (struct range){0, UINT64_MAX >> (64 - op->ref.bits)};
		} else if (op->op == DDP_OP_NOT) {
			stack[n - 1] = (struct range){0, 1};
		} else {
			*what = range_apply(op->op, &stack[n - 2], &stack[n - 1]);
			if (*what != NULL)
				return false;
			n--;
		}
	}
	*min = stack[0].min;
	*max = stack[0].max;
	return true;
}
