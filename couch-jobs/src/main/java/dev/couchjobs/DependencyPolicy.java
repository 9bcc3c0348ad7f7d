package dev.couchjobs;

/**
 * What becomes of a job when one that it waits for does not succeed.
 *
 * <table>
 *   <caption>By policy, and by the state of the dependency</caption>
 *   <tr><th>the dependency</th><th>{@link #FAIL}</th><th>{@link #WAIT}</th><th>{@link #IGNORE}</th></tr>
 *   <tr><td>fails for good or is cancelled, also before the dependent is added</td>
 *     <td>the dependent fails</td><td>it goes on waiting</td><td>as if it had succeeded</td></tr>
 *   <tr><td>is removed before it has succeeded</td>
 *     <td>the dependent fails</td><td>it goes on waiting</td><td>as if it had succeeded</td></tr>
 *   <tr><td>is not there when the dependent is added</td>
 *     <td>{@link DependencyNotFoundException}</td><td>the dependent waits</td><td>as if it had succeeded</td></tr>
 *   <tr><td>has succeeded, or succeeds</td><td>done</td><td>done</td><td>done</td></tr>
 * </table>
 *
 * <p>"Goes on waiting" is until a job of that type and id succeeds: the same one sent again, or one that is added
 * later. A job that retention has removed after its success is one that is not there.
 */
public enum DependencyPolicy {
    /** The job fails, and its error names the dependency. What a dependency has if nothing else is said. */
    FAIL,
    /** The job goes on waiting until the dependency does succeed. */
    WAIT,
    /** The job no longer waits for this dependency. */
    IGNORE
}
