package dev.couchjobs.simulation;

import dev.couchjobs.faults.TypeRows;
import java.util.List;

/** Something that holds of every commit. */
interface Law {
    /**
     * Looks at what some commits have changed, at most one of them in each job.
     *
     * @param before the rows before them
     * @param after the rows after them
     * @param news what they told the change feed
     */
    void check(DerivedRows before, DerivedRows after, List<TypeRows.Change> news);
}
