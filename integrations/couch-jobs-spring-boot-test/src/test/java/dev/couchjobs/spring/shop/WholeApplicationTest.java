package dev.couchjobs.spring.shop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.spring.WorkerLifecycle;
import dev.couchjobs.spring.shop.Orders.Order;
import dev.couchjobs.spring.test.AutoConfigureJobsTestKit;
import dev.couchjobs.testing.JobsTestKit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.ApplicationContext;

@SpringBootTest(webEnvironment = SpringBootTest.WebEnvironment.NONE)
@AutoConfigureJobsTestKit
@Timeout(240)
class WholeApplicationTest {
    @Autowired
    JobsTestKit kit;

    @Autowired
    OrdersJobs orders;

    @Autowired
    ApplicationContext context;

    @Test
    void theKitReplacesTheWorker() {
        orders.ship(kit.database(), "o-1", new Order("book")).join();
        kit.assertEnqueued(OrdersJobs.SHIP, new Order("book"));

        kit.runDue();

        assertThat(kit.result(OrdersJobs.SHIP, "o-1")).isEqualTo("book has left");
        assertThat(context.getBeanNamesForType(WorkerLifecycle.class)).isEmpty();
        assertThat(context.getBeanNamesForType(Warehouse.class)).hasSize(1);
    }
}
