package dev.couchjobs.spring.shop;

import dev.couchjobs.JobContext;
import dev.couchjobs.JobMiddleware;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.springframework.stereotype.Component;

/** Remembers the jobs that have begun. */
@Component
class Trail implements JobMiddleware {
    final List<String> begun = new ArrayList<>();

    @Override
    public CompletionStage<?> run(JobContext<?> job, Attempt next) {
        begun.add(job.id());
        return next.run();
    }
}
