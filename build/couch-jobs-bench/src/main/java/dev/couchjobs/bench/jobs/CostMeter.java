package dev.couchjobs.bench.jobs;

import java.util.Map;

/** Measures what a step costs. */
interface CostMeter {
    /** Begins a step. */
    void begin();

    /** Ends the step, and returns its costs in total. */
    Map<CostFigure, Double> end();
}
