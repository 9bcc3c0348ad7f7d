package dev.couchjobs.spring.test;

import dev.couchjobs.JobMiddleware;
import dev.couchjobs.JobsListener;
import dev.couchjobs.annotations.JobBinding;
import dev.couchjobs.spring.CouchJobsCustomizer;
import dev.couchjobs.spring.WorkerCustomizer;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.boot.test.context.filter.annotation.StandardAnnotationCustomizableTypeExcludeFilter;

/** Leaves out what {@link CouchJobsTest} does not name. */
final class JobsTypeExcludeFilter extends StandardAnnotationCustomizableTypeExcludeFilter<CouchJobsTest> {
    private static final Set<Class<?>> SETTINGS =
            Set.of(CouchJobsCustomizer.class, WorkerCustomizer.class, JobsListener.class, JobMiddleware.class);

    JobsTypeExcludeFilter(Class<?> testClass) {
        super(testClass);
    }

    /** The annotation of job methods is not there at run time; the processor has listed their classes. */
    @Override
    protected Set<Class<?>> getKnownIncludes() {
        Stream<Class<?>> handlers = ServiceLoader.load(JobBinding.class).stream()
                .map(binding -> binding.get().handlers());
        return Stream.concat(SETTINGS.stream(), handlers).collect(Collectors.toUnmodifiableSet());
    }
}
