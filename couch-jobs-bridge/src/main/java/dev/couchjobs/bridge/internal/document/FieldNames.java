package dev.couchjobs.bridge.internal.document;

import java.util.List;

/** The fields of a job document, in the order in which new ones are written. */
final class FieldNames {
    static final List<String> JOB = List.of("creator", "priority", "step", "job", "job_status", "reason");

    /** The fields that people write beside the steps. */
    static final List<String> PLAN = List.of("creator", "priority");

    /** The fields of a step that people write. */
    static final List<String> STEP_PLAN =
            List.of("target", "kind", "do", "alt_kind", "alt_do", "timeout", "retry_strategy");

    /** The fields of the thesis for the progress of a step; null until they have a value. */
    static final List<String> THESIS_STATE =
            List.of("claimed_by", "winner", "executioner", "step_status", "exec_time", "start_time", "finish_time");

    /** The bridge's own fields of a run; absent until they have a value. */
    static final List<String> OUR_RUN = List.of(
            "started_at",
            "finished_at",
            "exit_status",
            "alt_exit_status",
            "output",
            "output_cut",
            "reason",
            "tries",
            "begun");

    static final List<String> OUR_STATE = join(List.of(List.of("withdrawn"), OUR_RUN, List.of("nodes")));

    /** The fields of a run that has ended. */
    static final List<String> END =
            List.of("finish_time", "finished_at", "exit_status", "alt_exit_status", "output", "output_cut", "reason");

    /** The fields of a run, besides its status. */
    static final List<String> RUN =
            join(List.of(List.of("executioner", "exec_time", "start_time", "finish_time"), OUR_RUN));

    static final List<String> NODE = join(List.of(List.of("step_status"), RUN));

    static final List<String> STEP = join(List.of(STEP_PLAN, THESIS_STATE, OUR_STATE));

    static final List<String> RETRY = List.of("max_retries", "max_time", "sleep", "sleep_factor", "sleep_max");

    private FieldNames() {}

    private static List<String> join(List<List<String>> lists) {
        return lists.stream().flatMap(List::stream).toList();
    }
}
