package dev.couchjobs.examples;

import com.apple.foundationdb.Database;
import com.apple.foundationdb.subspace.Subspace;
import dev.couchjobs.JobsMove;
import dev.couchjobs.MoveProgress;
import dev.couchjobs.fdb.Databases;
import java.io.PrintStream;
import java.util.EnumSet;
import java.util.Set;

/**
 * Moves all jobs from one database to another, for example from a directory to a cluster. One process at a time can
 * open a directory, so a program that works on the jobs meanwhile makes the same calls itself.
 */
public final class MoveJobs {
    private static final String USAGE = """
            MoveJobs copy FROM TO      copies while the jobs go on, if FROM can be open twice; any number of times
            MoveJobs finish FROM TO    copies the rest, compares both sides, and puts TO into service
            MoveJobs abort FROM TO     puts FROM into service again, and clears TO
            FROM and TO are directories, cluster files or connection strings.""";

    private MoveJobs() {}

    /**
     * Runs the example.
     *
     * @param args what to do, and the two places
     */
    public static void main(String[] args) {
        if (args.length == 3) {
            run(args[0], args[1], args[2], System.out);
        } else {
            System.out.println(USAGE);
        }
    }

    static void run(String what, String from, String to, PrintStream out) {
        try (Database source = Databases.open(from);
                Database target = Databases.open(to)) {
            Set<MoveProgress.Phase> told = EnumSet.noneOf(MoveProgress.Phase.class);
            JobsMove move = JobsMove.of(source, target, to, new Subspace(), progress -> {
                if (told.add(progress.phase())) {
                    out.println(progress.phase());
                }
            });
            switch (what) {
                case "copy" ->
                    out.println("The last pass changed " + move.copy().join() + " rows.");
                case "finish" -> out.println("Both sides have " + move.finish().join() + ".");
                case "abort" -> {
                    move.abort().join();
                    out.println("The jobs are in service in " + from + ".");
                }
                default -> out.println(USAGE);
            }
        }
    }
}
