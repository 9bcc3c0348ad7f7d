package dev.couchjobs.bridge;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;

/**
 * The program with a bridge that says when it begins and ends, and that does not end at all if its node is called
 * stuck.
 */
final class FakeBridgeMain {
    private FakeBridgeMain() {}

    public static void main(String[] arguments) {
        System.exit(BridgeMain.run(arguments, (config, takesOver, stop) -> {
            System.out.println("begun");
            if (config.node().equals("waiting")) {
                stop.join();
                throw new CancellationException("it was waiting for its database");
            }
            return () -> {
                System.out.println("closing");
                if (config.node().equals("stuck")) {
                    new CountDownLatch(1).await();
                }
            };
        }));
    }
}
