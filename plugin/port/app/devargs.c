/* SPDX-License-Identifier: BSD-3-Clause */
// The arguments of --vdev: dev(<devargs of the lower device>)[,<key>=<value>...]
//
// They are not split by rte_kvargs: the devargs in dev(...) contain commas, and the value of
// profile= contains '=' (gtpu;port=2153), where rte_kvargs of 22.11 takes the second for the key's.
#include "port/app/app.h"
#include "port/exchange/exchange.h"

#include <ctype.h>
#include <stdlib.h>

#define LOWER "dev("

struct parser {
	struct ddp_devargs *devargs;
	char *error;
	uint32_t seen; // bits of keys
};

#define FAIL(parser, ...) ddp_fail((parser)->error, -EINVAL, __VA_ARGS__)

static int text_set(struct parser *parser, char **text, const char *value, size_t len) {
	*text = strndup(value, len);
	return *text == NULL ? DDP_FAIL_NO_MEMORY(parser->error) : 0;
}

static int profile_parse(struct parser *parser, const char *value) {
	return text_set(parser, &parser->devargs->profile, value, strlen(value));
}

static int package_parse(struct parser *parser, const char *value) {
	return text_set(parser, &parser->devargs->package, value, strlen(value));
}

// Sets whether the value is the first or the second word.
static int word_parse(struct parser *parser, const char *key, const char *first, const char *second,
		      const char *value, bool *is_first) {
	*is_first = strcmp(value, first) == 0;
	if (*is_first || strcmp(value, second) == 0)
		return 0;
	return FAIL(parser, "%s is %s or %s, not '%s'", key, first, second, value);
}

static int meta_parse(struct parser *parser, const char *value) {
	return word_parse(parser, "meta", "on", "off", value, &parser->devargs->meta);
}

static int decap_parse(struct parser *parser, const char *value) {
	return word_parse(parser, "decap", "on", "off", value, &parser->devargs->decap);
}

static int overflow_parse(struct parser *parser, const char *value) {
	bool drop;
	int ret = word_parse(parser, "overflow", "drop", "wait", value, &drop);

	parser->devargs->overflow = drop ? DDP_OVERFLOW_DROP : DDP_OVERFLOW_WAIT;
	return ret;
}

static int rss_key_len_parse(struct parser *parser, const char *value) {
	bool is_short;
	int ret = word_parse(parser, "rss_key_len", "40", "52", value, &is_short);

	parser->devargs->rss_key_len = is_short ? DDP_KEY_SHORT : DDP_KEY_SIZE;
	return ret;
}

static int offload_parse(struct parser *parser, const char *value) {
	static const char *const words[] = {
		[DDP_OFFLOAD_AUTO] = "auto",
		[DDP_OFFLOAD_OFF] = "off",
		[DDP_OFFLOAD_REQUIRE] = "require",
	};
	const size_t len = strcspn(value, ":");
	unsigned int i = 0;

	while (i < RTE_DIM(words) &&
	       (strlen(words[i]) != len || strncmp(words[i], value, len) != 0))
		i++;
	if (i == RTE_DIM(words))
		return FAIL(parser, "offload is off, auto or require, not '%s'", value);
	parser->devargs->offload = i;
	if (value[len] == '\0')
		return 0;
	parser->devargs->nic = ddp_nic_find(value + len + 1);
	if (parser->devargs->nic == NULL)
		return FAIL(parser, "offload: no kind of NIC is called '%s'", value + len + 1);
	return 0;
}

static int lower_queues_parse(struct parser *parser, const char *value) {
	unsigned long n;
	char *end;

	errno = 0;
	n = strtoul(value, &end, 10);
	if (!isdigit((unsigned char)*value) || *end != '\0' || errno != 0 || n < 1 ||
	    n > DDP_PORT_QUEUES)
		return FAIL(parser, "lower_queues is a number from 1 to %d, not '%s'",
			    DDP_PORT_QUEUES, value);
	parser->devargs->lower_queues = n;
	return 0;
}

static int balance_parse(struct parser *parser, const char *value) {
	if (ddp_balance_ms_read(value, &parser->devargs->balance_ms) == 0)
		return 0;
	return FAIL(parser, "balance is off, on, or milliseconds from 1 to %d, not '%s'",
		    DDP_BALANCE_MS_MAX, value);
}

#define KEY(name, values) #name,
static const char *const keys[] = {DDP_DEVARGS(KEY)};

#define PARSE(name, values) name##_parse,
static int (*const key_parsers[])(struct parser *parser, const char *value) = {DDP_DEVARGS(PARSE)};

#define KNOWN(name, values) ", " #name "="

static int pair_parse(struct parser *parser, char *pair) {
	char *value = strchr(pair, '=');
	const char *near;

	if (value != NULL)
		*value++ = '\0';
	for (unsigned int i = 0; i < RTE_DIM(keys); i++) {
		if (strcmp(pair, keys[i]) != 0)
			continue;
		if (value == NULL || *value == '\0')
			return FAIL(parser, "argument '%s' needs a value", pair);
		if ((parser->seen & RTE_BIT32(i)) != 0)
			return FAIL(parser, "%s is given twice%s", pair,
				    key_parsers[i] == profile_parse ? " (join profiles with '+')" :
								      "");
		parser->seen |= RTE_BIT32(i);
		return key_parsers[i](parser, value);
	}
	near = ddp_nearest(pair, keys, RTE_DIM(keys));
	if (near != NULL)
		return FAIL(parser, "unknown argument '%s', did you mean '%s'?", pair, near);
	return FAIL(parser, "unknown argument '%s' (there are dev(...)" DDP_DEVARGS(KNOWN) ")",
		    pair);
}

static int lower_parse(struct parser *parser, const char **args) {
	const char *open = *args + strlen(LOWER) - 1, *close = open;
	unsigned int depth = 1;

	while (depth > 0 && *close != '\0') {
		close += 1 + strcspn(close + 1, "()");
		if (*close == '(')
			depth++;
		else if (*close == ')')
			depth--;
	}
	if (parser->devargs->lower != NULL)
		return FAIL(parser, "dev(...) is given twice");
	if (depth > 0)
		return FAIL(parser, "the parenthesis of '%s' is not closed", *args);
	if (close == open + 1)
		return FAIL(parser, "dev() names no lower device");
	if (close[1] != ',' && close[1] != '\0')
		return FAIL(parser, "a comma is missing after dev(...), before '%s'", close + 1);
	*args = close + 1;
	return text_set(parser, &parser->devargs->lower, open + 1, close - open - 1);
}

static int argument_parse(struct parser *parser, const char **args) {
	size_t len = strcspn(*args, ",");
	char *pair;
	int ret;

	if (strncmp(*args, LOWER, strlen(LOWER)) == 0)
		return lower_parse(parser, args);
	ret = text_set(parser, &pair, *args, len);
	if (ret < 0)
		return ret;
	*args += len;
	if (len > 0) // an extra comma is accepted
		ret = pair_parse(parser, pair);
	free(pair);
	return ret;
}

int ddp_devargs_parse(const char *args, struct ddp_devargs *devargs, char *error) {
	struct parser parser = {.devargs = devargs, .error = error};

	memset(devargs, 0, sizeof(*devargs));
	devargs->meta = true;
	while (args != NULL && *args != '\0') {
		int ret = argument_parse(&parser, &args);

		if (ret < 0)
			return ret;
		if (*args == ',')
			args++;
	}
	if (devargs->lower == NULL)
		return FAIL(
			&parser,
			"the lower device is missing: dev(<its devargs>), as in dev(net_pcap0,...)");
	return 0;
}

void ddp_devargs_fini(struct ddp_devargs *devargs) {
	free(devargs->lower);
	free(devargs->profile);
	free(devargs->package);
	memset(devargs, 0, sizeof(*devargs));
}
