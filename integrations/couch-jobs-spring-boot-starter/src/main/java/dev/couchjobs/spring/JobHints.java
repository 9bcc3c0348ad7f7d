package dev.couchjobs.spring;

import dev.couchjobs.JobType;
import dev.couchjobs.annotations.JobBinding;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/** For native images: Jackson binds the data and the results of jobs by reflection. */
final class JobHints implements RuntimeHintsRegistrar {

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        BindingReflectionHintsRegistrar payloads = new BindingReflectionHintsRegistrar();
        for (JobBinding binding : ServiceLoader.load(JobBinding.class, classLoader)) {
            for (JobType<?, ?> type : binding.types()) {
                payloads.registerReflectionHints(hints.reflection(), type.dataType(), type.resultType());
            }
        }
        hints.resources().registerPattern("librocksdbjni-*");
    }
}
