package dev.couchjobs.spring.shop;

import dev.couchjobs.JobContext;
import dev.couchjobs.annotations.Job;
import dev.couchjobs.annotations.Retry;
import org.springframework.stereotype.Component;

@Component
class Orders {
    record Order(String article) {}

    @Job(type = "ship", retry = @Retry(attempts = 3, firstPause = "PT1M", jitter = 0))
    String ship(Order order, JobContext<Order> job) {
        if (order.article().equals("rare") && job.attempt() == 1) {
            throw new IllegalStateException("sold out");
        }
        return order.article() + " has left";
    }
}
