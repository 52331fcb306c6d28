/* SPDX-License-Identifier: BSD-3-Clause */
// The program as a whole: what it prints where, and how it exits. $DDPCTL is its path.
#include "scratch_folder.h"

#include <fcntl.h>
#include <jansson.h>
#include <sys/wait.h>

#include "known_frames.h"

#define ARGS_MAX 12

struct run {
	int status;
	char *out, *err;
};

static void child(const char *const *argv, const char *out, const char *err) {
	int out_fd = open(out, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	int err_fd = open(err, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	dup2(out_fd, STDOUT_FILENO);
	dup2(err_fd, STDERR_FILENO);
	execv(argv[0], (char *const *)argv);
	_exit(127);
}

// Run ddpctl with standard output to the file out; NULL ends the arguments.
static struct run run_to(const char *out, const char *const *args) {
	const char *argv[ARGS_MAX] = {getenv("DDPCTL")};
	const char *err = scratch_path("stderr");
	struct run run = {0};
	int status;
	pid_t pid;

	assert_non_null(argv[0]);
	for (unsigned int i = 0; args[i] != NULL; i++)
		argv[i + 1] = args[i];
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0)
		child(argv, out, err);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	run.status = WEXITSTATUS(status);
	run.err = file_read(err);
	return run;
}

static struct run run_args(const char *const *args) {
	const char *out = scratch_path("stdout");
	struct run run = run_to(out, args);

	run.out = file_read(out);
	return run;
}

#define RUN(...) run_args((const char *const[]){__VA_ARGS__, NULL})

static void run_free(struct run *run) {
	free(run->out);
	free(run->err);
}

static unsigned int count_lines(const char *text) {
	unsigned int n = 0;

	for (; *text != '\0'; text++)
		n += *text == '\n';
	return n;
}

// The line n, from 1, as JSON.
static json_t *json_line(const char *text, unsigned int n) {
	json_t *value;

	while (--n > 0)
		text = strchr(text, '\n') + 1;
	value = json_loadb(text, strcspn(text, "\n"), 0, NULL);
	assert_non_null(value);
	return value;
}

// The keys of an object in their order, as "a b c".
static const char *keys_of(json_t *object) {
	static char keys[512];
	const char *key;
	json_t *value;

	keys[0] = '\0';
	json_object_foreach(object, key, value)
		sprintf(keys + strlen(keys), "%s%s", keys[0] == '\0' ? "" : " ", key);
	return keys;
}

// Three packets of one connection and two cut short, the last one too short to be anything.
static const char *capture_small(void) {
	struct capture_file file;
	uint8_t back[sizeof(frame_tcp)];

	frame_reverse(back);
	capture_create(&file, "small.pcap", ETHERNET);
	capture_put(&file, frame_tcp, sizeof(frame_tcp), sizeof(frame_tcp));
	capture_put(&file, back, sizeof(back), sizeof(back));
	capture_put(&file, frame_tcp, sizeof(frame_tcp), sizeof(frame_tcp));
	capture_put(&file, frame_tcp, 24, 24); // in the middle of IPv4
	capture_put(&file, frame_tcp, 10, 10); // in the middle of Ethernet
	return capture_done(&file);
}

static void help_is_no_error(void **state) {
	static const char *const names[] = {"list",     "info",    "check",    "graph",
					    "classify", "explain", "simulate", "new"};
	static const char *const port_names[] = {"list",   "show",   "add",  "del",
						 "queues", "ptypes", "watch"};
	struct run run = RUN("--help");

	assert_int_equal(run.status, 0);
	assert_string_equal(run.err, "");
	for (unsigned int i = 0; i < 8; i++)
		assert_non_null(strstr(run.out, names[i]));
	run_free(&run);
	for (unsigned int i = 0; i < 8; i++) {
		run = RUN(names[i], "--help");
		assert_int_equal(run.status, 0);
		assert_non_null(strstr(run.out, "usage: ddpctl "));
		assert_non_null(strstr(run.out, "--json"));
		run_free(&run);
	}
	run = RUN("port", "--help");
	assert_int_equal(run.status, 0);
	for (unsigned int i = 0; i < 7; i++)
		assert_non_null(strstr(run.out, port_names[i]));
	run_free(&run);
	for (unsigned int i = 0; i < 7; i++) {
		run = RUN("port", port_names[i], "--help");
		assert_int_equal(run.status, 0);
		assert_non_null(strstr(run.out, "usage: ddpctl port "));
		assert_non_null(strstr(run.out, "--file-prefix"));
		run_free(&run);
	}
	run = RUN("--version");
	assert_int_equal(run.status, 0);
	assert_memory_equal(run.out, "ddpctl ", 7);
	run_free(&run);
}

static void misuse_exits_2(void **state) {
	static const struct {
		const char *args[ARGS_MAX];
		const char *error;
	} rows[] = {
		{{NULL}, "ddpctl: command missing\n"},
		{{"clasify", NULL},
		 "ddpctl: unknown command 'clasify', did you mean 'classify'?\n"},
		{{"frobnicate", NULL}, "ddpctl: unknown command 'frobnicate'\n"},
		{{"--bogus", NULL}, "ddpctl: unknown option '--bogus'\n"},
		{{"check", NULL}, "ddpctl: arguments missing: FILE...\n"},
		{{"port", NULL}, "ddpctl: command missing\n"},
		{{"port", "--bogus", NULL}, "ddpctl: unknown option '--bogus'\n"},
		{{"port", "sho", NULL}, "ddpctl: unknown command 'sho', did you mean 'show'?\n"},
		{{"port", "show", NULL}, "ddpctl: arguments missing: PORT\n"},
		{{"simulate", "base", "x", "--queues", "0", NULL},
		 "ddpctl: option --queues: '0' is not a number from 1 to 1024\n"},
		{{"explain", "base", "x", "-n", "0", NULL},
		 "ddpctl: option --packet: '0' is not the number of a packet, from 1\n"},
	};

	for (unsigned int i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct run run = run_args(rows[i].args);

		assert_int_equal(run.status, 2);
		assert_string_equal(run.out, "");
		assert_memory_equal(run.err, rows[i].error, strlen(rows[i].error) - 1);
		assert_non_null(strstr(run.err, " --help')\n"));
		assert_int_equal(count_lines(run.err), 1);
		run_free(&run);
	}
}

static void classify_writes_the_objects_promised(void **state) {
	struct run run = RUN("classify", "base", capture_small(), "--jsonl", "--queues", "16");
	json_t *line;

	assert_int_equal(run.status, 0);
	assert_string_equal(run.err, "");
	assert_int_equal(count_lines(run.out), 5);

	line = json_line(run.out, 1);
	assert_string_equal(keys_of(line),
			    "n len ptype ptype_id chain offsets fields hash input queue "
			    "status schema_version");
	assert_int_equal(json_integer_value(json_object_get(line, "n")), 1);
	assert_int_equal(json_integer_value(json_object_get(line, "len")), 54);
	assert_true(json_integer_value(json_object_get(line, "ptype_id")) > 0);
	assert_string_equal(json_string_value(json_object_get(line, "hash")), "0x51ccc178");
	assert_string_equal(json_string_value(json_object_get(line, "input")),
			    "420995bba18e64500aea06e6");
	assert_int_equal(json_integer_value(json_object_get(line, "queue")), 0x51ccc178 % 512 % 16);
	assert_string_equal(json_string_value(json_object_get(line, "status")), "ok");
	json_decref(line);
	assert_non_null(strstr(run.out,
			       "\"chain\":[\"eth\",\"ipv4\",\"tcp\"],\"offsets\":[0,14,34],"
			       "\"fields\":{\"ipv4.src\":\"66.9.149.187\","
			       "\"ipv4.dst\":\"161.142.100.80\","
			       "\"tcp.sport\":2794,\"tcp.dport\":1766}"));

	line = json_line(run.out, 4);
	assert_true(json_is_null(json_object_get(line, "hash")));
	assert_true(json_is_null(json_object_get(line, "input")));
	assert_int_equal(json_integer_value(json_object_get(line, "queue")), 0);
	assert_string_equal(json_string_value(json_object_get(line, "status")), "error");
	assert_int_equal(json_array_size(json_object_get(line, "chain")), 1);
	json_decref(line);

	line = json_line(run.out, 5);
	assert_string_equal(json_string_value(json_object_get(line, "ptype")), "UNKNOWN");
	assert_int_equal(json_integer_value(json_object_get(line, "ptype_id")), 0);
	assert_int_equal(json_array_size(json_object_get(line, "chain")), 0);
	assert_int_equal(json_array_size(json_object_get(line, "offsets")), 0);
	json_decref(line);
	run_free(&run);
}

static void json_is_an_array_of_the_same_objects(void **state) {
	struct run lines = RUN("classify", "base", capture_small(), "--jsonl");
	struct run array = RUN("classify", "base", capture_small(), "--json");
	json_t *all = json_loads(array.out, 0, NULL);

	assert_int_equal(array.status, 0);
	assert_int_equal(json_array_size(all), 5);
	for (unsigned int i = 0; i < 5; i++) {
		json_t *line = json_line(lines.out, i + 1);

		assert_true(json_equal(line, json_array_get(all, i)));
		json_decref(line);
	}
	json_decref(all);
	run_free(&lines);
	run_free(&array);
}

static void classify_prints_a_line_a_packet(void **state) {
	struct run run = RUN("classify", "base", capture_small());

	assert_int_equal(run.status, 0);
	assert_int_equal(count_lines(run.out), 1 + 5);
	assert_non_null(strstr(run.out, "  eth ipv4 tcp  "));
	assert_non_null(strstr(run.out, "  ipv4.src=66.9.149.187 ipv4.dst=161.142.100.80 "
					"tcp.sport=2794 tcp.dport=1766  0x51ccc178 "));
	assert_non_null(strstr(run.out, "eth (truncated)"));
	run_free(&run);
}

#define OUTCOME_KEYS                                                                          \
	"packets queues imbalance jain ptypes ptype_spreads hottest unhashed dropped hashes " \
	"entropy largest_hash least_imbalance unknown scaling windows worst_window ues directions"

static void simulate_sums_up_what_classify_says(void **state) {
	struct run run = RUN("simulate", "base", capture_small(), "--queues", "4", "--json");
	struct run lines = RUN("classify", "base", capture_small(), "--queues", "4", "--jsonl");
	json_t *sum = json_loads(run.out, 0, NULL);
	unsigned int loads[4] = {0}, sizes[4] = {0}, unhashed = 0, most = 0;
	json_t *baseline, *queues, *queue;
	unsigned int packets = 0, bytes = 0;
	double imbalance;
	size_t i;

	assert_int_equal(run.status, 0);
	assert_non_null(sum);
	assert_string_equal(keys_of(sum), OUTCOME_KEYS
			    " baseline candidates flows window load_mpps bytes cut partial warning "
			    "snaplen schema_version");
	baseline = json_object_get(sum, "baseline");
	assert_string_equal(keys_of(baseline), OUTCOME_KEYS);
	assert_int_equal(json_integer_value(json_object_get(sum, "packets")), 5);
	queues = json_object_get(sum, "queues");
	assert_int_equal(json_array_size(queues), 4);
	json_array_foreach(queues, i, queue) {
		assert_string_equal(keys_of(queue), "queue packets bytes");
		assert_int_equal(json_integer_value(json_object_get(queue, "queue")), i);
		packets += json_integer_value(json_object_get(queue, "packets"));
		bytes += json_integer_value(json_object_get(queue, "bytes"));
	}
	assert_int_equal(packets, 5);
	assert_int_equal(bytes, 3 * 54 + 24 + 10);
	for (i = 1; i <= 5; i++) {
		json_t *line = json_line(lines.out, i);
		unsigned int q = json_integer_value(json_object_get(line, "queue"));

		assert_in_range(q, 0, 3);
		loads[q]++;
		sizes[q] += json_integer_value(json_object_get(line, "len"));
		unhashed += json_is_null(json_object_get(line, "hash"));
		most = loads[q] > most ? loads[q] : most;
		json_decref(line);
	}
	json_array_foreach(queues, i, queue) {
		assert_int_equal(json_integer_value(json_object_get(queue, "packets")), loads[i]);
		assert_int_equal(json_integer_value(json_object_get(queue, "bytes")), sizes[i]);
	}
	assert_int_equal(unhashed, 2);
	assert_int_equal(json_integer_value(json_object_get(sum, "unhashed")), unhashed);
	imbalance = json_real_value(json_object_get(sum, "imbalance"));
	assert_true(imbalance > most * 4 / 5.0 - 1e-6 && imbalance < most * 4 / 5.0 + 1e-6);
	run_free(&lines);
	run_free(&run);
	json_decref(sum);
}

static void simulate_prints_both_spreads(void **state) {
	struct run run = RUN("simulate", "base", capture_small(), "--queues", "4");

	assert_int_equal(run.status, 0);
	assert_memory_equal(run.out, "QUEUE  PACKETS  SHARE  base", 27);
	assert_non_null(strstr(run.out, "fixed-function NIC"));
	assert_non_null(strstr(run.out, "CANDIDATE           IMBALANCE"));
	assert_non_null(strstr(run.out, "UNKNOWN"));
	assert_non_null(strstr(run.out, "\npackets: 5\n"));
	run_free(&run);
}

static void an_empty_capture_is_good(void **state) {
	struct capture_file file;
	struct run run;
	const char *path;

	capture_create(&file, "none.pcap", ETHERNET);
	path = capture_done(&file);
	run = RUN("classify", "base", path, "--jsonl");
	assert_int_equal(run.status, 0);
	assert_string_equal(run.out, "");
	run_free(&run);
	run = RUN("classify", "base", path, "--json");
	assert_string_equal(run.out, "[]\n");
	run_free(&run);
	run = RUN("simulate", "base", path, "--json", "--queues", "1");
	assert_int_equal(run.status, 0);
	assert_non_null(strstr(
		run.out, "{\"packets\":0,\"queues\":[{\"queue\":0,\"packets\":0,\"bytes\":0}],"
			 "\"imbalance\":0,\"jain\":0,\"ptypes\":[],"));
	assert_non_null(strstr(run.out, "\"cut\":0,\"partial\":false,\"warning\":null,"
					"\"snaplen\":null,\"schema_version\":2}\n"));
	run_free(&run);
}

static void a_cut_capture_is_shown_and_exits_3(void **state) {
	struct capture_file file;
	struct run run;
	const char *path;

	capture_create(&file, "cut.pcap", ETHERNET);
	capture_put(&file, frame_tcp, sizeof(frame_tcp), sizeof(frame_tcp));
	capture_put(&file, frame_tcp, 10, sizeof(frame_tcp));
	path = capture_done(&file);
	run = RUN("classify", "base", path, "--jsonl");
	assert_int_equal(run.status, 3);
	assert_int_equal(count_lines(run.out), 1);
	assert_int_equal(count_lines(run.err), 1);
	assert_non_null(strstr(run.err, "cut.pcap: "));
	assert_non_null(strstr(run.err, "; packets read: 1\n"));
	run_free(&run);
	run = RUN("simulate", "base", path, "--json");
	assert_int_equal(run.status, 3);
	assert_memory_equal(run.out, "{\"packets\":1,", 13);
	run_free(&run);
}

static void simulate_tells_of_a_profile_that_reads_no_packet(void **state) {
	struct run run = RUN("simulate", "vxlan;port=9", capture_small());

	assert_int_equal(run.status, 0);
	assert_string_equal(run.err, "ddpctl: no packet has a packet type of vxlan;port=9: does it "
				     "read the right tunnel and port?\n");
	run_free(&run);
	run = RUN("simulate", "base", capture_small());
	assert_string_equal(run.err, "");
	run_free(&run);
}

static void unreadable_files_exit_3(void **state) {
	static const char *const verbs[] = {"classify", "simulate"};

	for (unsigned int i = 0; i < 2; i++) {
		struct run run = RUN(verbs[i], "base", scratch_path("nowhere.pcap"));

		assert_int_equal(run.status, 3);
		assert_string_equal(run.out, "");
		assert_int_equal(count_lines(run.err), 1);
		assert_non_null(strstr(run.err, "nowhere.pcap: No such file or directory\n"));
		run_free(&run);
		run = RUN(verbs[i], scratch_path("nowhere.yaml"), capture_small());
		assert_int_equal(run.status, 3);
		assert_string_equal(run.out, "");
		assert_int_equal(count_lines(run.err), 1);
		assert_non_null(strstr(run.err, "nowhere.yaml"));
		run_free(&run);
		run = RUN(verbs[i], capture_small(), "base");
		assert_int_equal(run.status, 1);
		assert_non_null(strstr(
			run.err, ": error: a capture, not a profile (FILE comes before PCAP)\n"));
		run_free(&run);
	}
}

static void check_tells_good_from_bad(void **state) {
	static const char bad[] = "profile: bad\nversion: 1.0.0\nbogus_key: 1\n";
	const char *path = file_write("bad.yaml", bad, sizeof(bad) - 1);
	struct run run = RUN("check", "base");
	json_t *all;

	assert_int_equal(run.status, 0);
	assert_memory_equal(run.out, "base: OK (", 10);
	assert_string_equal(run.err, "");
	run_free(&run);

	run = RUN("check", "base", path);
	assert_int_equal(run.status, 1);
	assert_int_equal(count_lines(run.out), 2);
	assert_non_null(strstr(run.out, "bad.yaml: invalid ("));
	assert_non_null(strstr(run.err, "bad.yaml:3:1: error: "));
	run_free(&run);

	run = RUN("check", "--json", "base", path);
	assert_int_equal(run.status, 1);
	assert_string_equal(run.err, "");
	all = json_loads(run.out, 0, NULL);
	assert_int_equal(json_array_size(all), 2);
	assert_string_equal(keys_of(json_array_get(all, 0)),
			    "file valid headers packet_types steps errors warnings messages "
			    "diagnostics schema_version");
	assert_true(json_is_true(json_object_get(json_array_get(all, 0), "valid")));
	assert_true(json_is_false(json_object_get(json_array_get(all, 1), "valid")));
	assert_true(json_array_size(json_object_get(json_array_get(all, 1), "messages")) > 0);
	json_decref(all);
	run_free(&run);

	run = RUN("check", path, scratch_path("nowhere.yaml"));
	assert_int_equal(run.status, 3);
	assert_non_null(strstr(run.out, "nowhere.yaml: cannot be read\n"));
	run_free(&run);
	run = RUN("classify", path, capture_small());
	assert_int_equal(run.status, 1);
	assert_string_equal(run.out, "");
	run_free(&run);
}

// A header of n rules that search an earlier one, and lead back to it.
static const char *profile_of_rules(unsigned int n) {
	static const char begin[] =
		"profile: rules\nversion: 1.0.0\nsummary: many rules\nheaders:\n"
		"  aa: {first: true, layout: 'x:16', next: bb}\n"
		"  bb:\n    layout: y:8\n    next:\n";
	static const char end[] = "packet_types:\n  AA: {path: aa bb, rss: aa.x}\n";
	char *text = calloc(1, sizeof(begin) + sizeof(end) + n * 60);
	size_t len = sprintf(text, "%s", begin);
	const char *path;

	for (unsigned int i = 0; i < n; i++)
		len += sprintf(text + len, "      - {when: {aa.x: %u, y: 1}, then: bb}\n", i);
	len += sprintf(text + len, "%s", end);
	path = file_write("rules.yaml", text, len);
	free(text);
	return path;
}

static void check_warns_of_packets_that_cost_too_much(void **state) {
	struct run run = RUN("check", "--strict", profile_of_rules(5));

	assert_int_equal(run.status, 0);
	assert_string_equal(run.err, "");
	// aa; 63 times bb with 5 rules of 3, and a search in each among 1 to 63 headers; aa.x to
	// hash
	assert_non_null(strstr(run.out, ", at most 11218 steps a packet)\n"));
	run_free(&run);
	run = RUN("check", "--strict", profile_of_rules(100));
	assert_int_equal(run.status, 1);
	assert_non_null(strstr(run.err, "rules.yaml:6:3: warning: a packet can take "));
	assert_non_null(strstr(run.err, " steps, more than 50000, and the header 'bb' up to "));
	run_free(&run);
}

static const char *name_at(json_t *list, size_t i) {
	return json_string_value(json_object_get(json_array_get(list, i), "name"));
}

static void info_shows_what_a_profile_holds(void **state) {
	struct run run = RUN("info", "base", "--json");
	json_t *all = json_loads(run.out, 0, NULL);
	json_t *info = json_array_get(all, 0);

	assert_int_equal(run.status, 0);
	assert_string_equal(run.err, "");
	assert_string_equal(keys_of(info), "file profiles parameters headers tables by_rss_hf "
					   "packet_types input_sets bound schema_version");
	assert_string_equal(keys_of(json_object_get(info, "bound")),
			    "headers steps bytes end by_graph");
	json_decref(all);
	run_free(&run);

	run = RUN("info", "base");
	assert_int_equal(run.status, 0);
	assert_non_null(strstr(run.out, "\nipv4       base     20-60   ip (version = 4), ethertype "
					"0x0800\n"));
	assert_non_null(strstr(run.out, "\n  path       eth vlan* ipv6 ipv6_ext* udp\n"));
	assert_non_null(strstr(run.out,
			       "\nbound: whatever the packet, a walk looks at no more than "
			       "64 headers "));
	run_free(&run);

	run = RUN("info", "base", scratch_path("nowhere.yaml"));
	assert_int_equal(run.status, 3);
	assert_int_equal(count_lines(run.err), 1);
	run_free(&run);
}

static void graph_is_for_graphviz(void **state) {
	struct run run = RUN("graph", "base");
	json_t *graph;

	assert_int_equal(run.status, 0);
	assert_memory_equal(run.out, "digraph profile {\n", 18);
	assert_string_equal(run.out + strlen(run.out) - 3, "\n}\n");
	assert_non_null(strstr(run.out, "<B>ipv4</B>"));
	run_free(&run);
	run = RUN("graph", "base", "--json");
	graph = json_loads(run.out, 0, NULL);
	assert_string_equal(keys_of(graph), "headers edges schema_version");
	json_decref(graph);
	assert_non_null(strstr(run.out, "{\"from\":\"vlan\",\"to\":\"vlan\",\"when\":\"type = "
					"0x8100, 0x88a8, 0x9100\"}"));
	run_free(&run);
}

static void explain_tells_one_packet(void **state) {
	struct run run = RUN("explain", "base", capture_small(), "-n", "1", "--queues", "16");
	json_t *story;

	assert_int_equal(run.status, 0);
	assert_string_equal(run.err, "");
	assert_non_null(strstr(run.out, "\nbyte 14: ipv4, 20 bytes: 4 * ihl (ihl 5) (base.yaml:"));
	assert_non_null(strstr(run.out, "\n    does not end here: frag_offset is 0 (base.yaml:"));
	assert_non_null(strstr(run.out, "\n    next is tcp: protocol is 6, its number in table "
					"ip_proto (base.yaml:"));
	assert_non_null(strstr(run.out, "\n    ipv4.src 66.9.149.187, bytes 26 to 29\n"));
	assert_non_null(strstr(run.out, "\n    toeplitz: 0x51ccc178, "));
	run_free(&run);

	run = RUN("explain", "base", capture_small(), "--packet=4");
	assert_int_equal(run.status, 0);
	assert_non_null(strstr(run.out, "\n    truncated: ipv4 takes 20 bytes, the packet has 10 "
					"more\n"));
	assert_non_null(strstr(run.out, "\nnot hashed: no input set, so queue 0\n"));
	run_free(&run);

	run = RUN("explain", "base", capture_small(), "--json");
	story = json_loads(run.out, 0, NULL);
	assert_string_equal(
		keys_of(story),
		"n len wire_len snaplen status headers ptype ptype_id path matched rte_ptype input_sets "
		"hashed extracted input hash reta_index queue schema_version");
	assert_int_equal(json_array_size(json_object_get(story, "headers")), 3);
	assert_string_equal(json_string_value(json_object_get(story, "hash")), "0x51ccc178");
	json_decref(story);
	run_free(&run);
}

static void explain_needs_the_packet(void **state) {
	struct run run = RUN("explain", "base", capture_small(), "-n", "6");

	assert_int_equal(run.status, 1);
	assert_string_equal(run.out, "");
	assert_int_equal(count_lines(run.err), 1);
	assert_non_null(strstr(run.err, "small.pcap: there is no packet 6, the last one is 5\n"));
	run_free(&run);
}

static void new_writes_a_good_profile_once(void **state) {
	const char *path = scratch_path("acme-tun.yaml");
	struct run run = RUN("new", "acme-tun", "-o", path);
	char *before, *after;

	assert_int_equal(run.status, 0);
	assert_string_equal(run.err, "");
	assert_int_equal(count_lines(run.out), 1);
	run_free(&run);
	run = RUN("check", "--strict", path);
	assert_int_equal(run.status, 0);
	assert_string_equal(run.err, "");
	run_free(&run);

	before = file_read(path);
	run = RUN("new", "acme-tun", "-o", path);
	assert_int_equal(run.status, 1);
	assert_int_equal(count_lines(run.err), 1);
	assert_non_null(strstr(run.err, "acme-tun.yaml: File exists\n"));
	run_free(&run);
	after = file_read(path);
	assert_string_equal(before, after);
	free(after);

	run = RUN("new", "acme-tun", "-o", "-");
	assert_int_equal(run.status, 0);
	assert_string_equal(run.out, before);
	run_free(&run);
	free(before);
}

static void new_refuses_names_that_make_no_profile(void **state) {
	static const struct {
		const char *name;
		int status;
	} rows[] = {
		{"", 2},
		{"5g", 2},
		{"a b", 2},
		{"../x", 2},
		{"a_name_that_is_much_too_long_for_it", 2},
		{"udp", 1},
		{"IPv4", 1},
		{"base", 1},
		{"link", 1},
		{"stop", 1},
		{"icmp6", 1},
	};

	for (unsigned int i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct run run = RUN("new", rows[i].name, "-o", "-");

		assert_int_equal(run.status, rows[i].status);
		assert_string_equal(run.out, "");
		assert_int_equal(count_lines(run.err), 1);
		run_free(&run);
	}
}

// Two folders with a profile "000" each come before all others.
static void list_shows_what_a_name_finds(void **state) {
	static const char first[] = "profile: 000\nversion: 2.0.0\nsummary: the first\n";
	static const char second[] = "profile: 000\nversion: 1.0.0\nsummary: the second\n";
	char path[1024];
	struct run run;
	json_t *list;

	assert_int_equal(mkdir(scratch_path("one"), 0700), 0);
	assert_int_equal(mkdir(scratch_path("two"), 0700), 0);
	file_write("one/000.yaml", first, sizeof(first) - 1);
	file_write("one/000.txt", first, sizeof(first) - 1);
	file_write("two/000.yaml", second, sizeof(second) - 1);
	snprintf(path, sizeof(path), "%s:%s:%s", scratch_path("none"), scratch_path("one"),
		 scratch_path("two"));
	setenv("DDP_PROFILE_PATH", path, 1);
	run = RUN("list", "--json");
	assert_int_equal(run.status, 0);
	assert_string_equal(run.err, "");
	list = json_loads(run.out, 0, NULL);
	assert_string_equal(keys_of(json_array_get(list, 0)),
			    "name version summary file schema_version");
	assert_string_equal(name_at(list, 0), "000");
	assert_string_equal(json_string_value(json_object_get(json_array_get(list, 0), "summary")),
			    "the first");
	assert_string_equal(json_string_value(json_object_get(json_array_get(list, 0), "file")),
			    scratch_path("one/000.yaml"));
	for (size_t i = 1; i < json_array_size(list); i++)
		assert_true(strcmp(name_at(list, i - 1), name_at(list, i)) < 0);
	json_decref(list);
	run_free(&run);

	run = RUN("list");
	assert_int_equal(run.status, 0);
	assert_memory_equal(run.out, "NAME", 4);
	assert_non_null(strstr(run.out, "\n000 "));
	assert_non_null(strstr(run.out, " 2.0.0    the first"));
	assert_null(strstr(run.out, "the second"));
	assert_non_null(strstr(run.out, "\nbase "));
	run_free(&run);
	unsetenv("DDP_PROFILE_PATH");
}

static void a_full_disk_is_an_error(void **state) {
	struct run run = run_to("/dev/full", (const char *const[]){"list", NULL});

	assert_int_equal(run.status, 3);
	assert_string_equal(run.err, "ddpctl: standard output: No space left on device\n");
	run_free(&run);
}

static void standard_input_is_a_capture(void **state) {
	int kept = dup(STDIN_FILENO);
	int fd = open(capture_small(), O_RDONLY);
	struct run run;

	dup2(fd, STDIN_FILENO);
	close(fd);
	run = RUN("classify", "base", "-", "--jsonl");
	dup2(kept, STDIN_FILENO);
	close(kept);
	assert_int_equal(run.status, 0);
	assert_int_equal(count_lines(run.out), 5);
	run_free(&run);
}

// A pipe whose reader has gone: no message, and no signal either.
static void a_closed_pipe_is_quiet(void **state) {
	const char *args[] = {"list", NULL};
	struct run run;
	char path[32];
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	close(fds[0]);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fds[1]);
	run = run_to(path, args);
	close(fds[1]);
	assert_int_equal(run.status, 3);
	assert_string_equal(run.err, "");
	run_free(&run);
}

int main(void) {
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(help_is_no_error),
		cmocka_unit_test(misuse_exits_2),
		cmocka_unit_test(classify_writes_the_objects_promised),
		cmocka_unit_test(json_is_an_array_of_the_same_objects),
		cmocka_unit_test(classify_prints_a_line_a_packet),
		cmocka_unit_test(simulate_sums_up_what_classify_says),
		cmocka_unit_test(simulate_prints_both_spreads),
		cmocka_unit_test(an_empty_capture_is_good),
		cmocka_unit_test(a_cut_capture_is_shown_and_exits_3),
		cmocka_unit_test(simulate_tells_of_a_profile_that_reads_no_packet),
		cmocka_unit_test(unreadable_files_exit_3),
		cmocka_unit_test(check_tells_good_from_bad),
		cmocka_unit_test(check_warns_of_packets_that_cost_too_much),
		cmocka_unit_test(info_shows_what_a_profile_holds),
		cmocka_unit_test(graph_is_for_graphviz),
		cmocka_unit_test(explain_tells_one_packet),
		cmocka_unit_test(explain_needs_the_packet),
		cmocka_unit_test(new_writes_a_good_profile_once),
		cmocka_unit_test(new_refuses_names_that_make_no_profile),
		cmocka_unit_test(list_shows_what_a_name_finds),
		cmocka_unit_test(a_full_disk_is_an_error),
		cmocka_unit_test(standard_input_is_a_capture),
		cmocka_unit_test(a_closed_pipe_is_quiet),
	};

	return cmocka_run_group_tests(tests, scratch_setup, scratch_teardown);
}
