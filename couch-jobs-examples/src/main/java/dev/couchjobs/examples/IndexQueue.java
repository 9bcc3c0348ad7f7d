package dev.couchjobs.examples;

import com.apple.foundationdb.Database;
import dev.couchjobs.CouchJobs;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Enqueues one job per file. */
final class IndexQueue {
    private static final int FILES_PER_TRANSACTION = 100;

    private IndexQueue() {}

    /** Records the files and adds their jobs, both in the same transactions: there is never one without the other. */
    static void addAll(Database database, CouchJobs jobs, IndexStore store, List<TextFile> files) {
        for (int from = 0; from < files.size(); from += FILES_PER_TRANSACTION) {
            List<TextFile> batch = files.subList(from, Math.min(files.size(), from + FILES_PER_TRANSACTION));
            Blocking.get(database.runAsync(tx -> CompletableFuture.allOf(batch.stream()
                    .map(file -> {
                        store.enlist(tx, file.path());
                        return jobs.add(tx, FileJob.TYPE, file.path(), FileJob.of(file.path()));
                    })
                    .toArray(CompletableFuture<?>[]::new))));
        }
    }
}
