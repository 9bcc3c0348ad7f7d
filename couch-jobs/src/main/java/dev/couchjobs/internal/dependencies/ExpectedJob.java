package dev.couchjobs.internal.dependencies;

import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.internal.job.DependencyState;
import dev.couchjobs.internal.job.WaitCondition;

/**
 * The {@code expected} row of a job that does not exist, but for which others wait: what its own row has to name.
 *
 * @param group the waiter group of its dependents, or {@link DependencyState#NO_GROUP} if no job waits for it
 * @param graph the graph of its dependents, or {@link DependencyState#NO_GRAPH}
 */
public record ExpectedJob(long group, long graph) {
    /** No job waits for it. */
    public static final ExpectedJob NONE = new ExpectedJob(DependencyState.NO_GROUP, DependencyState.NO_GRAPH);

    /** {@return the dependency state of a job that is added} */
    public DependencyState dependencies() {
        return DependencyState.NONE.withGroup(WaitCondition.SUCCESS, group).inGraph(graph);
    }

    /** {@return the value of the row} */
    public byte[] encode() {
        return (graph == DependencyState.NO_GRAPH ? Tuple.from(group) : Tuple.from(group, graph)).pack();
    }

    /** {@return what a row says} */
    public static ExpectedJob decode(byte[] value) {
        Tuple row = Tuple.fromBytes(value);
        return new ExpectedJob(row.getLong(0), row.size() > 1 ? row.getLong(1) : DependencyState.NO_GRAPH);
    }
}
