package dev.couchjobs.annotations.internal;

import java.util.Optional;
import javax.lang.model.type.TypeMirror;

/**
 * A method that runs jobs of a type.
 *
 * @param name its name
 * @param constant the name of the constant with the job type
 * @param data the type of the data, boxed
 * @param result the type of the result, boxed; empty if there is none
 * @param verb the method of {@link dev.couchjobs.WorkerBuilder} that takes such a handler
 * @param arguments what the handler passes to the method, with its context as {@code job}
 * @param settings the values of the annotation
 */
record JobMethod(
        String name,
        String constant,
        TypeMirror data,
        Optional<TypeMirror> result,
        String verb,
        String arguments,
        JobSettings settings) {}
