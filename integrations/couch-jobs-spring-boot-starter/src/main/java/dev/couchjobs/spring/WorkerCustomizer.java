package dev.couchjobs.spring;

import dev.couchjobs.WorkerBuilder;

/**
 * A bean that adds handlers, schedules or settings to the worker of the application before it starts:
 *
 * <pre>{@code
 * @Bean
 * WorkerCustomizer thumbnails(Images images) {
 *     return worker -> worker.handle(THUMBNAIL, job -> images.scale(job.data()));
 * }
 * }</pre>
 */
@FunctionalInterface
public interface WorkerCustomizer {
    /**
     * Changes the worker.
     *
     * @param worker the builder, with the settings of the properties and the handlers that beans declare
     */
    void customize(WorkerBuilder worker);
}
