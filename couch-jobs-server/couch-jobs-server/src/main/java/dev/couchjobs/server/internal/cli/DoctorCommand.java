package dev.couchjobs.server.internal.cli;

import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Checks what is stored. */
@Command(
        name = "doctor",
        description = "Compares what is stored twice, reports differences,"
                + " and mends what it can. Reads all jobs. The status is 1 if a fault remains.")
final class DoctorCommand extends ApiCommand {
    @Option(
            names = "--mend",
            description =
                    "Puts rows back from quarantine, writes a wrong status index again, and lets jobs of dead processes"
                            + " run again.")
    private boolean mends;

    @Override
    int run(Session session) {
        Examination examination = new Examination(session, mends);
        examination.run();
        if (session.output().isJson()) {
            session.output().json(examination.json().toString());
        } else {
            session.output().table(List.of("check", "of", "is", "detail"), examination.findings());
        }
        if (session.stop().isRequested()) {
            session.output().note("Interrupted: not all was looked at.");
            return Failure.FAILED;
        }
        return examination.hasFaults() ? Failure.FAILED : DONE;
    }
}
