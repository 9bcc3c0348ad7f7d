package dev.couchjobs.server.internal.api;

import dev.couchjobs.Page;
import dev.couchjobs.server.internal.http.Problem;
import dev.couchjobs.server.internal.http.ProblemException;
import dev.couchjobs.server.internal.http.Reply;
import dev.couchjobs.server.internal.json.Fields;
import dev.couchjobs.server.internal.json.JobJson;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import tools.jackson.databind.JsonNode;

/** What operations answer with, by what the library gives. */
final class Replies {
    private Replies() {}

    static <T> CompletableFuture<Reply> ok(CompletableFuture<T> value, Function<? super T, JsonNode> toJson) {
        return value.thenApply(toJson).thenApply(Reply::ok);
    }

    static <T> CompletableFuture<Reply> page(CompletableFuture<Page<T>> page, Function<? super T, JsonNode> toJson) {
        return page.thenApply(items -> Reply.ok(JobJson.page(items, toJson)));
    }

    static <T> CompletableFuture<Reply> found(
            CompletableFuture<Optional<T>> value, Function<? super T, JsonNode> toJson, String what) {
        return value.thenApply(found -> Reply.ok(toJson.apply(found.orElseThrow(() -> notFound(what)))));
    }

    static ProblemException notFound(String what) {
        return new ProblemException(
                Problem.of(404, "not-found", "There is no such thing.").detail("There is no " + what + "."));
    }

    /** {@return an empty reply when a verb is done} */
    static CompletableFuture<Reply> done(CompletableFuture<?> verb) {
        return verb.thenApply(done -> Reply.empty(204));
    }

    /** {@return whether a verb has changed anything} */
    static CompletableFuture<Reply> changed(CompletableFuture<Boolean> verb) {
        return ok(verb, changed -> new Fields().put("changed", changed).node());
    }

    static CompletableFuture<Reply> count(CompletableFuture<? extends Number> verb) {
        return ok(verb, number -> new Fields().put("count", number.longValue()).node());
    }
}
