package dev.couchjobs.bench.jobs;

import java.util.Map;

/**
 * What each job costs in one step on one engine.
 *
 * @param figures the figures per job
 */
record StepCosts(EngineKind engine, CostStep step, Map<CostFigure, Double> figures) {
    String name() {
        return engine.label() + ", " + step.label();
    }
}
