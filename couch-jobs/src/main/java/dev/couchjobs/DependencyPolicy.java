package dev.couchjobs;

/**
 * What happens to a job, the dependent, when one that it waits for does not succeed.
 *
 * <table>
 *   <caption>By policy, and by the state of the dependency</caption>
 *   <tr><th>the dependency</th>
 *     <th>{@link #WAIT}</th><th>{@link #EXPECT}</th><th>{@link #FAIL}</th><th>{@link #IGNORE}</th></tr>
 *   <tr><td>has succeeded, or succeeds</td><td>done</td><td>done</td><td>done</td><td>done</td></tr>
 *   <tr><td>fails for good or is cancelled, also before the dependent is added</td>
 *     <td>the dependent goes on waiting</td><td>it goes on waiting</td>
 *     <td>it fails</td><td>as if the dependency had succeeded</td></tr>
 *   <tr><td>is removed before it has succeeded</td>
 *     <td>the dependent goes on waiting</td><td>it goes on waiting</td>
 *     <td>it fails</td><td>as if the dependency had succeeded</td></tr>
 *   <tr><td>is not there when the dependent is added</td>
 *     <td>{@link DependencyNotFoundException}</td><td>the dependent waits</td>
 *     <td>{@link DependencyNotFoundException}</td><td>as if the dependency had succeeded</td></tr>
 * </table>
 *
 * <p>"Goes on waiting" is until a job of that type and id succeeds: the same one sent again, or one that is added
 * later. A job that retention has removed after its success is one that is not there.
 */
public enum DependencyPolicy {
    /**
     * The job goes on waiting until the dependency does succeed: it never runs without that. The dependency has to be
     * there when the job is added. This is the policy of a dependency if no other is given.
     */
    WAIT,
    /** The same, but the dependency may be added later. */
    EXPECT,
    /**
     * The job fails, and its error names the dependency. It is a dead letter then: {@link DeadLetters#retry}
     * and {@link DeadLetters#retryAll} run it, although the dependency has not succeeded.
     */
    FAIL,
    /** The job no longer waits for this dependency. */
    IGNORE
}
