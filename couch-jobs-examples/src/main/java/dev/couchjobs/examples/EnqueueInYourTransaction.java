package dev.couchjobs.examples;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.Transaction;
import com.apple.foundationdb.subspace.Subspace;
import com.apple.foundationdb.tuple.Tuple;
import dev.couchjobs.CouchJobs;
import dev.couchjobs.JobType;

/** Adds a job in the same transaction as the row that it is about: there is never one without the other. */
public final class EnqueueInYourTransaction {
    private static final JobType<String, ?> SHIP = JobType.of("ship", String.class);

    private EnqueueInYourTransaction() {}

    /**
     * Runs the example.
     *
     * @param args none
     */
    public static void main(String[] args) {
        try (Playground playground = new Playground()) {
            Database database = playground.database();
            CouchJobs jobs = playground.jobs();
            Subspace orders = playground.data("orders");

            database.runAsync(tx -> {
                        tx.set(orders.pack("A-17"), Tuple.from("three lamps").pack());
                        return jobs.add(tx, SHIP, "A-17", "to Ada, Elm Street 5");
                    })
                    .join();
            show("Committed:  ", database, jobs, orders, "A-17");

            try (Transaction tx = database.createTransaction()) {
                tx.set(orders.pack("A-18"), Tuple.from("a chair").pack());
                jobs.add(tx, SHIP, "A-18", "to Bob, Oak Lane 2").join();
                tx.cancel();
            }
            show("Rolled back:", database, jobs, orders, "A-18");
        }
    }

    private static void show(String what, Database database, CouchJobs jobs, Subspace orders, String order) {
        boolean stored = database.readAsync(tx -> tx.get(orders.pack(order))).join() != null;
        System.out.println(what + " order " + order + (stored ? " is stored" : " is not stored") + ", its job is "
                + jobs.getJobState(database, SHIP, order).join());
    }
}
