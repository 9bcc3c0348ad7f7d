package dev.couchjobs.simulation;

import dev.couchjobs.faults.Rows;
import java.util.List;

/**
 * A worker claims a job on which a claim has expired alone, and so its work begins with the claim: if it is what ended
 * its process, it takes no other with it.
 */
final class Suspects implements Law {
    private final Complaints complaints;

    Suspects(Complaints complaints) {
        this.complaints = complaints;
    }

    @Override
    public void check(Books before, Books after, List<Rows.Change> news) {
        after.jobs().forEach((jobId, is) -> {
            Line was = before.jobs().get(jobId);
            complaints.require(
                    was == null || !was.suspect() || !is.isClaimedSince(was) || is.begun(),
                    () -> jobId + " was claimed with others, and had expired: from " + was + " to " + is);
        });
    }
}
