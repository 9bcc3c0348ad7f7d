package dev.couchjobs.examples;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobType;
import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import java.time.Duration;

/** Adds a job in the same transaction as the row that it is about: there is never one without the other. */
public final class EnqueueInYourTransaction {
    private static final JobType<String, ?> SHIP = JobType.of("ship", String.class);
    private static final Subspace ORDERS = new Subspace(Tuple.from("orders"));

    private EnqueueInYourTransaction() {}

    /**
     * Runs the example.
     *
     * @param args none
     */
    public static void main(String[] args) {
        try (Database database = EmbeddedDatabase.openInMemory();
                CouchJobs jobs = CouchJobs.on(database)) {
            jobs.setTypeTimeout(database, SHIP, Duration.ofSeconds(30)).join();

            database.runAsync(tx -> {
                        tx.set(ORDERS.pack("A-17"), Tuple.from("three lamps").pack());
                        return jobs.add(tx, SHIP, "A-17", "to Ada, Elm Street 5");
                    })
                    .join();
            show("Committed:  ", database, jobs, "A-17");

            try (Transaction tx = database.createTransaction()) {
                tx.set(ORDERS.pack("A-18"), Tuple.from("a chair").pack());
                jobs.add(tx, SHIP, "A-18", "to Bob, Oak Lane 2").join();
                tx.cancel();
            }
            show("Rolled back:", database, jobs, "A-18");
        }
    }

    private static void show(String what, Database database, CouchJobs jobs, String order) {
        boolean stored = database.readAsync(tx -> tx.get(ORDERS.pack(order))).join() != null;
        System.out.println(what + " order " + order + (stored ? " is stored" : " is not stored") + ", its job is "
                + jobs.getJobState(database, SHIP, order).join());
    }
}
