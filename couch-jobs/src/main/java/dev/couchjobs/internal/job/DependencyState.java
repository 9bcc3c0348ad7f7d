package dev.couchjobs.internal.job;

import dev.couchjobs.internal.rows.TupleReader;
import dev.couchjobs.internal.rows.TupleWriter;

/**
 * The part of a job's row that concerns dependencies.
 *
 * <p>Dependents of a job are stored in waiter groups. The job's row names its groups, so a job without dependents ends
 * without an extra read. A waiter group is a random number that is used once. Notices for its dependents are therefore
 * independent of dependents that are linked after the job was enqueued again.
 *
 * @param endGroup the waiter group of the dependents with {@link WaitCondition#END}; 0 for none
 * @param successGroup the waiter group of the dependents with {@link WaitCondition#SUCCESS}; 0 for none
 * @param keptIfFailed how many seconds the job is kept if it fails because of a dependency, or {@link #FOR_EVER}
 * @param archived whether the job is then removed only after an archive has accepted it
 * @param graph the graph whose jobs are kept until all of them have ended, or {@link #NO_GRAPH}
 */
public record DependencyState(long endGroup, long successGroup, long keptIfFailed, boolean archived, long graph) {
    /** Stands for the absence of a waiter group. */
    public static final long NO_GROUP = 0;
    /** The job is kept by itself. */
    public static final long NO_GRAPH = 0;
    /** The retention does not remove the job. */
    public static final long FOR_EVER = -1;
    /** The state of a job without dependencies and dependents. */
    public static final DependencyState NONE = new DependencyState(NO_GROUP, NO_GROUP, FOR_EVER, false, NO_GRAPH);

    /** {@return whether the job has dependents} */
    public boolean hasDependents() {
        return endGroup != NO_GROUP || successGroup != NO_GROUP;
    }

    /** {@return the waiter group of the dependents with a wait condition, or {@link #NO_GROUP}} */
    public long group(WaitCondition waitCondition) {
        return switch (waitCondition) {
            case END -> endGroup;
            case SUCCESS -> successGroup;
        };
    }

    /** {@return a copy with another waiter group for the dependents with a wait condition} */
    public DependencyState withGroup(WaitCondition waitCondition, long group) {
        return switch (waitCondition) {
            case END -> new DependencyState(group, successGroup, keptIfFailed, archived, graph);
            case SUCCESS -> new DependencyState(endGroup, group, keptIfFailed, archived, graph);
        };
    }

    /** {@return a copy with the retention of the job for a failure because of a dependency} */
    public DependencyState keptIfFailed(long seconds, boolean archived) {
        return new DependencyState(endGroup, successGroup, seconds, archived, graph);
    }

    /** {@return a copy in a graph, unless it is in one already or there is none} */
    public DependencyState inGraph(long newGraph) {
        return graph == NO_GRAPH && newGraph != NO_GRAPH
                ? new DependencyState(endGroup, successGroup, keptIfFailed, archived, newGraph)
                : this;
    }

    /** Adds these to the options of a row as a nested tuple, or as null. */
    void encode(TupleWriter options) {
        if (equals(NONE)) {
            options.addNull();
        } else {
            options.beginNested()
                    .add(endGroup)
                    .add(successGroup)
                    .add(keptIfFailed)
                    .add(archived);
            if (graph != NO_GRAPH) {
                options.add(graph);
            }
            options.endNested(true);
        }
    }

    static DependencyState decode(TupleReader options) {
        if (options.skipNull()) {
            return NONE;
        }
        options.beginNested();
        DependencyState dependencies = new DependencyState(
                options.readLong(),
                options.readLong(),
                options.readLong(),
                options.readBoolean(),
                options.hasNext() ? options.readLong() : NO_GRAPH);
        options.endNested();
        return dependencies;
    }
}
