package dev.couchjobs.simulation;

import dev.couchjobs.JobArchive;
import dev.couchjobs.JobInfo;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Where jobs go before they are removed. It is outside of the simulated world, and sometimes it fails. */
final class Archive {
    private static final Duration SLOWEST = Duration.ofMillis(400);

    private final Set<Kept> kept = new HashSet<>();

    /** The end of a job. */
    private record Kept(
            String jobId,
            long claims,
            long endedAt,
            @Nullable String data,
            @Nullable String result) {}

    /** {@return what a node hands jobs over to} */
    JobArchive<String, String> on(SimulatedNode node) {
        return page -> node.sleepUpTo(SLOWEST).thenRun(() -> {
            if (node.random().nextInt(4) == 0) {
                throw new IllegalStateException("the archive does not answer");
            }
            keep(page);
            if (node.random().nextInt(8) == 0) {
                throw new IllegalStateException("the archive was too late to answer");
            }
        });
    }

    private void keep(List<JobInfo<String, String>> page) {
        for (JobInfo<String, String> job : page) {
            long endedAt = job.endedAt().map(Instant::toEpochMilli).orElse(0L);
            String result = job.result().map(MainRow::json).orElse(null);
            kept.add(new Kept(job.id(), job.claims(), endedAt, Payloads.inline(job.data()), result));
        }
    }

    /** {@return whether it was given a job as that ended} */
    boolean has(String jobId, MainRow job) {
        return kept.contains(new Kept(jobId, job.claims(), job.endedAt(), job.data(), job.result()));
    }
}
