package dev.couchjobs.annotations;

import dev.couchjobs.JobType;
import dev.couchjobs.WorkerBuilder;
import java.util.List;

/**
 * Binds the {@link Job} methods of a class to a worker. The annotation processor generates an implementation for each
 * such class, which {@link java.util.ServiceLoader} finds, so that a framework needs no reflection. Applications call
 * the method {@code handle} of the generated class.
 */
public interface JobBinding {
    /** {@return the class with the methods} */
    Class<?> handlers();

    /** {@return the types of the jobs, in the order of the methods} */
    List<JobType<?, ?>> types();

    /**
     * Adds the methods of an object to a worker, with the limits that they declare.
     *
     * @param worker the worker
     * @param handlers an instance of {@link #handlers}; several threads call its methods at once
     * @throws ClassCastException if it is no such instance
     * @throws IllegalArgumentException if the worker has a handler of one of the types already
     */
    void bind(WorkerBuilder worker, Object handlers);
}
