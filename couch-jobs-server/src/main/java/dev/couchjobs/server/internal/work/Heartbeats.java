package dev.couchjobs.server.internal.work;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.Job;
import dev.couchjobs.JobHaltedException;
import dev.couchjobs.RemoteWorker;
import dev.couchjobs.Renewal;
import dev.couchjobs.server.internal.http.Reply;
import dev.couchjobs.server.internal.json.Fields;
import dev.couchjobs.server.internal.json.NewJobs;
import dev.couchjobs.server.internal.work.ClaimRows.Held;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import tools.jackson.databind.JsonNode;

/** Renews the claims of a worker in one transaction. */
final class Heartbeats {
    private final CouchJobs jobs;
    private final Database database;
    private final Registrations registrations;

    Heartbeats(CouchJobs jobs, Database database, Registrations registrations) {
        this.jobs = jobs;
        this.database = database;
        this.registrations = registrations;
    }

    /** Either the claim as it is, or why it does not hold. */
    private record Restored(List<Job<Object>> job, List<JobHaltedException> halt) {
        static Restored held(Job<Object> job) {
            return new Restored(List.of(job), List.of());
        }

        static Restored halted(Throwable error) {
            Throwable cause =
                    error instanceof CompletionException && error.getCause() != null ? error.getCause() : error;
            if (cause instanceof JobHaltedException halt) {
                return new Restored(List.of(), List.of(halt));
            }
            throw new CompletionException(cause);
        }
    }

    CompletableFuture<Reply> run(RemoteWorker worker, List<Held> claims) {
        return database.runAsync(tx -> ClaimCalls.all(
                        claims.stream().map(claim -> restore(tx, claim)).toList())
                .thenCompose(restored -> jobs.processor()
                        .updateAll(
                                tx,
                                restored.stream()
                                        .flatMap(each -> each.job().stream())
                                        .toList())
                        .thenApply(renewals -> results(claims, restored, renewals)))
                .thenCombine(
                        registrations.report(tx, worker),
                        (results, state) -> Reply.ok(new Fields()
                                .put("order", WorkJson.order(state))
                                .putAll("claims", results, result -> result)
                                .node())));
    }

    private CompletableFuture<Restored> restore(Transaction tx, Held claim) {
        return jobs.processor()
                .claim(tx, NewJobs.type(claim.type()), claim.id(), claim.lock())
                .handle((job, error) -> job != null ? Restored.held(job) : Restored.halted(error));
    }

    private static List<JsonNode> results(List<Held> claims, List<Restored> restored, List<Renewal> renewals) {
        Iterator<Renewal> renewed = renewals.iterator();
        List<JsonNode> results = new ArrayList<>(claims.size());
        for (int i = 0; i < claims.size(); i++) {
            List<JobHaltedException> halt = restored.get(i).halt();
            String result =
                    halt.isEmpty() ? renewed.next().halt().map(Halts::of).orElse("renewed") : Halts.of(halt.get(0));
            results.add(new Fields()
                    .put("type", claims.get(i).type())
                    .put("id", claims.get(i).id())
                    .put("lock", claims.get(i).lock().toString())
                    .put("result", result)
                    .node());
        }
        return results;
    }
}
