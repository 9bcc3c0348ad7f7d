package dev.couchjobs.fdb.crash;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.Transaction;
import dev.couchjobs.fdb.embedded.Durability;
import dev.couchjobs.fdb.embedded.EmbeddedDatabase;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Random;

/** The process that is killed: writes until then, and says so after each commit. */
final class Writers {
    static final String OPENING = "opening";
    private static final PrintStream OUT = new PrintStream(System.out, true, StandardCharsets.US_ASCII);

    private Writers() {}

    /** Takes the directory, what a commit is to survive, how many writers there are to be, and a seed. */
    public static void main(String... args) {
        int writers = Integer.parseInt(args[2]);
        long seed = Long.parseLong(args[3]);
        OUT.println(OPENING);
        Database database = EmbeddedDatabase.open(Path.of(args[0]), Durability.valueOf(args[1]));
        NumberedTransactions.check(database);
        for (int writer = 0; writer < writers; writer++) {
            int me = writer;
            new Thread(() -> write(database, me, new Random(seed + me))).start();
        }
    }

    private static void write(Database database, int writer, Random random) {
        for (long number = NumberedTransactions.head(database, writer) + 1; ; number++) {
            try (Transaction tr = database.createTransaction()) {
                NumberedTransactions.write(tr, writer, number, random);
                tr.commit().join();
                // One call, so that lines of several writers do not mix.
                OUT.println("committed " + writer + " " + number + " at " + tr.getCommittedVersion());
            }
        }
    }
}
