package dev.couchjobs.server.internal.dispatch;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Environment;
import dev.couchjobs.bridge.BridgeNodes;
import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import dev.couchjobs.loop.GuardedExecutor;
import dev.couchjobs.server.Access;
import dev.couchjobs.server.Authenticator;
import dev.couchjobs.server.Role;
import dev.couchjobs.server.internal.access.AccessTokens;
import dev.couchjobs.server.internal.access.TokenAuthenticator;
import dev.couchjobs.server.internal.access.UserCode;
import dev.couchjobs.server.internal.api.BackupOperations;
import dev.couchjobs.server.internal.api.BatchOperations;
import dev.couchjobs.server.internal.api.BridgeOperations;
import dev.couchjobs.server.internal.api.Call;
import dev.couchjobs.server.internal.api.Hiding;
import dev.couchjobs.server.internal.api.JobOperations;
import dev.couchjobs.server.internal.api.Operations;
import dev.couchjobs.server.internal.api.PayloadGate;
import dev.couchjobs.server.internal.api.ScheduleOperations;
import dev.couchjobs.server.internal.api.SelectionOperations;
import dev.couchjobs.server.internal.api.ServerOperations;
import dev.couchjobs.server.internal.api.TokenOperations;
import dev.couchjobs.server.internal.api.TopicOperations;
import dev.couchjobs.server.internal.api.TypeOperations;
import dev.couchjobs.server.internal.api.WorkOperations;
import dev.couchjobs.server.internal.api.WorkerOperations;
import dev.couchjobs.server.internal.dashboard.Dashboard;
import dev.couchjobs.server.internal.feed.FeedOperations;
import dev.couchjobs.server.internal.feed.MessageOperations;
import dev.couchjobs.server.internal.feed.Streams;
import dev.couchjobs.server.internal.http.EntityTags;
import dev.couchjobs.server.internal.http.Exchange;
import dev.couchjobs.server.internal.http.Memory;
import dev.couchjobs.server.internal.http.Problem;
import dev.couchjobs.server.internal.http.ProblemException;
import dev.couchjobs.server.internal.http.Reply;
import dev.couchjobs.server.internal.http.ServerEnvironment;
import dev.couchjobs.server.internal.json.NewJobs;
import dev.couchjobs.server.internal.latencies.LatencyOperations;
import dev.couchjobs.server.internal.openapi.ApiDocument;
import dev.couchjobs.server.internal.openapi.ApiOperation;
import dev.couchjobs.server.internal.openapi.RequestChecker;
import dev.couchjobs.server.internal.openapi.Router;
import dev.couchjobs.server.internal.queue.QueueOperations;
import dev.couchjobs.server.internal.queue.QueueReplies;
import dev.couchjobs.server.internal.selections.SelectionWorker;
import dev.couchjobs.topics.Topics;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.Serial;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.MissingNode;

/** Takes requests. No thread waits for a client or for the database. */
public final class ApiServlet extends HttpServlet {
    @Serial
    private static final long serialVersionUID = 1L;

    private final transient Dashboard dashboard = new Dashboard();
    private final transient Router router;
    private final transient RequestChecker checker;
    private final transient Dispatcher dispatcher;
    private final transient Authenticator authenticator;
    private static final Duration TRANSFER_TIME = Duration.ofMinutes(1);
    private static final Duration AUTHENTICATION_TIME = Duration.ofSeconds(5);
    private static final Access NOBODY = Access.of("nobody");
    private static final Problem UNKNOWN_IN_TIME = Problem.of(503, "database", "Who calls is not known in time.")
            .detail("The database, or what else knows the callers, does not answer. Try again; GET /v1/live says"
                    + " whether the server has to be started again.")
            .header("Retry-After", "1");

    private final transient Memory memory = new Memory();
    private final transient CallRates rates;
    private final transient InstantSource clock = ServerEnvironment.clock();
    /** The timers of this servlet, which end with it. */
    private final transient Environment environment = Environment.system();

    private final int bodyBytesMax;
    private final boolean isAudited;
    private final transient WorkOperations work;
    private Duration transferTime = TRANSFER_TIME;

    private final transient CouchJobs jobs;
    private final boolean runsSelections;
    /** The server's own jobs: no caller can add, claim or see them, and no worker of the users' is beside theirs. */
    private final transient CouchJobs selections;

    private transient @Nullable SelectionWorker selectionWorker;

    private final transient WaitingRequests waiting;

    /**
     * Makes a servlet.
     *
     * @param runsSelections whether it runs the selections that callers start; not if no caller can
     */
    public ApiServlet(CouchJobs jobs, Database database, ApiSettings settings, boolean runsSelections) {
        this.jobs = jobs;
        this.runsSelections = runsSelections;
        selections = CouchJobs.builder(database)
                .subspace(settings.rows().subspace(Tuple.from("selections")))
                .environment(environment)
                .build();
        AccessTokens tokens = new AccessTokens(database, settings.rows(), clock);
        Hiding hiding = new Hiding(UserCode.predicate(settings.hidden()));
        authenticator =
                UserCode.authenticator(settings.authenticator().orElseGet(() -> new TokenAuthenticator(tokens)));
        waiting =
                new WaitingRequests(authenticator, GuardedExecutor.of(database, environment), environment.scheduler());
        rates = new CallRates(settings.rate(), clock);
        bodyBytesMax = settings.bodyBytesMax();
        isAudited = settings.isAudited();
        ApiDocument document = ApiDocument.get();
        Operations operations = new Operations();
        PayloadGate payloads = new PayloadGate(GuardedExecutor.of(database, environment));
        new JobOperations(jobs, database, hiding, payloads).bind(operations);
        new TypeOperations(jobs, hiding).bind(operations);
        new ScheduleOperations(jobs, hiding).bind(operations);
        new BatchOperations(jobs).bind(operations);
        Topics topics = settings.topics()
                .orElseGet(
                        () -> Topics.builder(database).environment(environment).build());
        Streams streams = new Streams(settings.feedClients());
        new TopicOperations(topics, database, payloads).bind(operations);
        new QueueOperations(topics, settings.rows(), clock).bind(operations);
        new MessageOperations(topics, database, streams, payloads).bind(operations);
        new SelectionOperations(selections).bind(operations);
        new WorkerOperations(jobs).bind(operations);
        new FeedOperations(jobs, database, streams).bind(operations);
        new BridgeOperations(BridgeNodes.on(database, settings.bridgePrefix())).bind(operations);
        new LatencyOperations(jobs, database).bind(operations);
        new TokenOperations(tokens, settings.authenticator().isEmpty()).bind(operations);
        work = new WorkOperations(jobs, database, settings.rows());
        work.bind(operations);
        new ServerOperations(jobs, EmbeddedDatabase.failure(database), document.json()).bind(operations);
        new BackupOperations(database, settings.backups(), clock).bind(operations);
        document.requireBound(operations.ids());
        checker = new RequestChecker(document);
        router = new Router(document.operations().values());
        dispatcher = new Dispatcher(
                jobs, database, operations, document.operations(), new StoredReplies(settings.rows(), clock), payloads);
    }

    @Override
    public void init() {
        transferTime = Optional.ofNullable(getInitParameter("transferTime"))
                .map(Duration::parse)
                .orElse(TRANSFER_TIME);
        if (runsSelections) {
            selectionWorker = SelectionWorker.start(jobs, selections);
        }
    }

    /** Ends the requests that wait, and feeds. Others go on. */
    public void endWaiting() {
        work.close();
        waiting.endAll();
    }

    @Override
    public void destroy() {
        endWaiting();
        if (selectionWorker != null) {
            selectionWorker.close();
        }
        selections.close();
        environment.close();
    }

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response) {
        Visit visit = new Visit(Exchange.begin(request, response, transferTime, memory), clock);
        CompletableFuture<Reply> reply;
        try {
            reply = handle(visit);
        } catch (Throwable e) { // also an error: the caller waits
            reply = CompletableFuture.failedFuture(e);
        }
        var unused = reply.whenComplete((done, error) -> {
            visit.end(done != null ? done : failure(visit.exchange(), Problems.of(error)), isAudited);
            waiting.remove(visit.exchange());
        });
    }

    private static Reply failure(Exchange exchange, Problem problem) {
        return QueueReplies.isFor(exchange.path()) ? QueueReplies.failure(problem) : problem.reply();
    }

    private CompletableFuture<Reply> handle(Visit visit) {
        Exchange exchange = visit.exchange();
        exchange.requireSingleHeaders();
        CrossSite.refuse(exchange);
        Optional<Reply> file = dashboard.find(exchange);
        if (file.isPresent()) {
            return CompletableFuture.completedFuture(file.get());
        }
        Router.Match match = find(exchange);
        if (exchange.method().equals("OPTIONS")) {
            return CompletableFuture.completedFuture(Reply.empty(204).with("Allow", allowed(match)));
        }
        ApiOperation operation = match.byMethod().get(exchange.isHead() ? "GET" : exchange.method());
        boolean writes = operation != null && dispatcher.writes(operation);
        if (writes) {
            CrossSite.refuseWrite(exchange);
        }
        if (operation == null || (writes && exchange.isHead())) {
            throw new ProblemException(Problem.of(405, "method-not-allowed", "The path does not take this method.")
                    .detail("It takes " + allowed(match) + ".")
                    .header("Allow", allowed(match)));
        }
        if (operation.role().isEmpty()) {
            return run(exchange, operation, match, NOBODY);
        }
        return authenticated(exchange).thenCompose(caller -> {
            Access access = caller.orElseThrow(() -> new ProblemException(Problems.UNAUTHENTICATED));
            visit.admitted(operation, access);
            visit.rated(rates.take(access.name()));
            requireRole(access, operation.role().get(), operation, match);
            return run(exchange, operation, match, access);
        });
    }

    private CompletableFuture<Reply> run(Exchange exchange, ApiOperation operation, Router.Match match, Access access) {
        checker.path(operation, match.path());
        checker.headers(operation, exchange::header);
        var query = checker.query(operation, exchange.query());
        var conditions = new Dispatcher.Conditions(
                EntityTags.of(exchange.header("If-Match")),
                EntityTags.of(exchange.header("If-None-Match")),
                exchange.header("Idempotency-Key"));
        return body(exchange, operation, query).thenCompose(body -> {
            checker.body(operation, body);
            if (dispatcher.waits(operation)) {
                waiting.add(exchange);
            }
            Call call = new Call(access, match.path(), query, body, exchange::header, exchange.connection());
            return dispatcher.run(operation, call, conditions);
        });
    }

    private Router.Match find(Exchange exchange) {
        Optional<Router.Match> match;
        try {
            match = router.find(exchange.path());
        } catch (IllegalArgumentException e) {
            throw new ProblemException(Problem.of(400, "malformed-path", "The path is not encoded as a URL is.")
                    .detail(e.getMessage()));
        }
        return match.orElseThrow(() -> new ProblemException(Problem.of(404, "no-such-path", "There is no such path.")
                .detail("GET /openapi.json lists all of them.")));
    }

    private static String allowed(Router.Match match) {
        return String.join(", ", match.byMethod().keySet()) + ", OPTIONS";
    }

    /** {@return who calls} A request must not wait for long for a database that does not answer. */
    private CompletableFuture<Optional<Access>> authenticated(Exchange exchange) {
        CompletableFuture<Optional<Access>> caller = authenticator.authenticate(exchange.request());
        if (!caller.isDone()) {
            var timer = environment
                    .scheduler()
                    .schedule(
                            () -> caller.completeExceptionally(new ProblemException(UNKNOWN_IN_TIME)),
                            AUTHENTICATION_TIME.toMillis(),
                            TimeUnit.MILLISECONDS);
            var unused = caller.whenComplete((access, error) -> timer.cancel(false));
        }
        return caller;
    }

    private static void requireRole(Access access, Role role, ApiOperation operation, Router.Match match) {
        if (!access.has(role)
                || !(operation.isOfAnyType()
                        || access.allows(role, Optional.ofNullable(match.path().get("type"))))) {
            throw new ProblemException(Problem.of(403, "forbidden", "The caller may not do this.")
                    .detail("It needs the role " + operation.roleName() + "."));
        }
    }

    private CompletableFuture<JsonNode> body(Exchange exchange, ApiOperation operation, Map<String, JsonNode> query) {
        if (operation.body().isEmpty()) {
            return CompletableFuture.completedFuture(MissingNode.getInstance());
        }
        return operation.takesBytes() && exchange.hasBytes()
                ? exchange.bytes(bodyBytesMax).thenApply(data -> NewJobs.ofBytes(data, query))
                : exchange.json(bodyBytesMax, operation.payloads());
    }
}
