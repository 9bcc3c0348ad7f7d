package dev.couchjobs.spring.shop;

import dev.couchjobs.CouchJobs;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;

@SpringBootApplication
class Shop {
    @Bean
    OrdersJobs ordersJobs(CouchJobs jobs) {
        return new OrdersJobs(jobs);
    }
}
