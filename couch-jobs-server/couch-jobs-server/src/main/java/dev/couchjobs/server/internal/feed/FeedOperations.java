package dev.couchjobs.server.internal.feed;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.tuple.Versionstamp;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobChange;
import dev.couchjobs.JobChanges;
import dev.couchjobs.server.internal.api.Call;
import dev.couchjobs.server.internal.api.Operations;
import dev.couchjobs.server.internal.http.Reply;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

/** The feed of a job, of a type, or of all types, in four manners. */
public final class FeedOperations {
    private static final Duration POLL = Duration.ofSeconds(60);

    private final CouchJobs jobs;
    private final Database database;
    private final SharedPages pages;
    private final Streams streams;

    public FeedOperations(CouchJobs jobs, Database database, Streams streams) {
        this.streams = streams;
        this.jobs = jobs;
        this.database = database;
        this.pages = new SharedPages(jobs, database);
    }

    public void bind(Operations operations) {
        operations.act("followAll", call -> follow(call, Optional.empty(), change -> call.mayRead(change.typeName())));
        operations.act(
                "followType", call -> follow(call, Optional.of(call.type().name()), change -> true));
        operations.act(
                "followJob",
                call -> follow(
                        call,
                        Optional.of(call.type().name()),
                        change -> change.jobId().equals(call.id())));
    }

    private CompletableFuture<Reply> follow(Call call, Optional<String> type, Predicate<JobChange> isWanted) {
        return since(call).thenCompose(since -> {
            Follower follower = new Follower(jobs, pages, type, isWanted, since);
            return switch (manner(call)) {
                case "longpoll" ->
                    new FeedPoll(follower, call.duration("timeout").orElse(POLL), call.number("limit"))
                            .run(call.connection());
                case "continuous" -> streamed(call, follower, ChangeFeed.Form.LINES);
                case "eventsource" -> streamed(call, follower, ChangeFeed.Form.EVENTS);
                default -> new FeedPoll(follower, Duration.ZERO, call.number("limit")).run(call.connection());
            };
        });
    }

    /** A browser asks for events by the type that it accepts, and says in a header where it was. */
    private static String manner(Call call) {
        return call.text("feed").orElse(Streams.wantsEvents(call) ? "eventsource" : "normal");
    }

    private CompletableFuture<Versionstamp> since(Call call) {
        String since = call.header("Last-Event-ID")
                .filter(id -> id.matches("[0-9a-f]{24}"))
                .or(() -> call.text("since"))
                .orElse("0");
        return switch (since) {
            case "now" -> jobs.changes().now(database);
            case "0" -> CompletableFuture.completedFuture(JobChanges.OLDEST);
            default -> CompletableFuture.completedFuture(Sequences.parse(since));
        };
    }

    private CompletableFuture<Reply> streamed(Call call, Follower follower, ChangeFeed.Form form) {
        ChangeFeed feed = new ChangeFeed(follower, form, call.number("limit"));
        return CompletableFuture.completedFuture(streams.reply(call, form.contentType(), form.sign(), feed));
    }
}
