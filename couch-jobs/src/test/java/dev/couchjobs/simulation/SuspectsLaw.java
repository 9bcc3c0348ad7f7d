package dev.couchjobs.simulation;

import dev.couchjobs.faults.TypeRows;
import java.util.List;

/**
 * A worker claims a job on which a claim has expired alone, and so its work begins with the claim: if it is what ended
 * its process, it takes no other with it.
 */
final class SuspectsLaw implements Law {
    private final Violations violations;

    SuspectsLaw(Violations violations) {
        this.violations = violations;
    }

    @Override
    public void check(DerivedRows before, DerivedRows after, List<TypeRows.Change> news) {
        after.jobs().forEach((jobId, is) -> {
            MainRow was = before.jobs().get(jobId);
            violations.require(
                    was == null || !was.suspect() || !is.isClaimedSince(was) || is.begun(),
                    () -> jobId + " was claimed with others, and had expired: from " + was + " to " + is);
        });
    }
}
