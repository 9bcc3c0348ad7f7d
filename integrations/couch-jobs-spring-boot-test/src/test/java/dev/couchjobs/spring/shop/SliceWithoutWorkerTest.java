package dev.couchjobs.spring.shop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.couchjobs.spring.shop.Orders.Order;
import dev.couchjobs.spring.test.CouchJobsTest;
import dev.couchjobs.testing.JobsTestKit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.annotation.Autowired;

@CouchJobsTest(properties = "couch-jobs.worker.enabled=false")
@Timeout(240)
class SliceWithoutWorkerTest {
    @Autowired
    JobsTestKit kit;

    @Autowired
    OrdersJobs orders;

    @Test
    void handlersAreThoseOfTheTest() {
        orders.ship(kit.database(), "o-1", new Order("book")).join();
        kit.runDue();
        kit.assertEnqueued(OrdersJobs.SHIP, new Order("book"));

        kit.work(worker -> worker.handle(OrdersJobs.SHIP, job -> "by the test"));
        kit.runDue();

        assertThat(kit.result(OrdersJobs.SHIP, "o-1")).isEqualTo("by the test");
    }
}
