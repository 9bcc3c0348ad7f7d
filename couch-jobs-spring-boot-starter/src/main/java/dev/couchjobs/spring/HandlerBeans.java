package dev.couchjobs.spring;

import dev.couchjobs.WorkerBuilder;
import dev.couchjobs.annotations.JobBinding;
import java.util.List;
import org.springframework.beans.factory.BeanFactory;

/** The beans of classes with job methods. A class without a bean is left out: it may belong to another application. */
record HandlerBeans(List<JobBinding> bindings, BeanFactory beans) {

    /** {@return whether there was one} */
    boolean bind(WorkerBuilder worker) {
        boolean isBound = false;
        for (JobBinding binding : bindings) {
            Object handlers = beans.getBeanProvider(binding.handlers()).getIfAvailable();
            if (handlers != null) {
                binding.bind(worker, handlers);
                isBound = true;
            }
        }
        return isBound;
    }
}
