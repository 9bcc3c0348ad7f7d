package dev.couchjobs.server;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.server.internal.dispatch.ApiServlet;
import jakarta.servlet.http.HttpServlet;
import java.util.Objects;
import java.util.Optional;

/**
 * The API as a servlet, to be mounted in a server that a program has already:
 *
 * <pre>{@code
 * HttpServlet servlet = JobsHttp.on(jobs, database).servlet();   // everyone who reaches it may read, and nothing else
 * }</pre>
 *
 * <p>The servlet needs asynchronous processing ({@code asyncSupported}) and a mapping that ends in {@code /*}. Ids with
 * a slash in them need a container that leaves encoded slashes in a path alone, as {@link JobsServer} does. The
 * servlet does not close the instance. Immutable.
 */
public final class JobsHttp {
    private static final Subspace ROWS = new Subspace(Tuple.from("couch_jobs_server"));
    private static final Authenticator READ_ONLY = request -> Optional.of(Access.of("anonymous", Role.READ));

    private final CouchJobs jobs;
    private final Database database;
    private final Subspace rows;
    private final Authenticator authenticator;

    private JobsHttp(CouchJobs jobs, Database database, Subspace rows, Authenticator authenticator) {
        this.jobs = jobs;
        this.database = database;
        this.rows = rows;
        this.authenticator = authenticator;
    }

    /**
     * {@return the API of an instance, read-only}
     *
     * @param jobs the instance
     * @param database its database
     */
    public static JobsHttp on(CouchJobs jobs, Database database) {
        return new JobsHttp(
                Objects.requireNonNull(jobs, "jobs"), Objects.requireNonNull(database, "database"), ROWS, READ_ONLY);
    }

    /**
     * Where the API keeps rows of its own, such as the replies to requests with a key of idempotency; by default
     * {@code ("couch_jobs_server")}.
     *
     * @param newRows a subspace that nothing else uses, the same for all servers of these jobs
     * @return the API with these rows
     */
    public JobsHttp subspace(Subspace newRows) {
        return new JobsHttp(jobs, database, Objects.requireNonNull(newRows, "newRows"), authenticator);
    }

    /**
     * Who may do what; by default every caller may read.
     *
     * @param newAuthenticator decides it for each request
     * @return the API with this authenticator
     */
    public JobsHttp authenticator(Authenticator newAuthenticator) {
        return new JobsHttp(jobs, database, rows, Objects.requireNonNull(newAuthenticator, "newAuthenticator"));
    }

    /** {@return a new servlet} */
    public HttpServlet servlet() {
        return apiServlet();
    }

    ApiServlet apiServlet() {
        return new ApiServlet(jobs, database, rows, authenticator, !authenticator.equals(READ_ONLY));
    }
}
