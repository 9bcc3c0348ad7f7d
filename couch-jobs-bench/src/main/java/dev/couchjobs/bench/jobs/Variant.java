package dev.couchjobs.bench.jobs;

import java.util.List;

/** One way to measure something; each begins with a database of its own. */
interface Variant {
    List<Figure> measure(Subject subject) throws InterruptedException;
}
