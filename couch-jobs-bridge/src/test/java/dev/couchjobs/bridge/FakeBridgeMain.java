package dev.couchjobs.bridge;

import java.util.concurrent.CountDownLatch;

/** The program with a bridge that says when it begins and ends, and that does not end at all if its node is called stuck. */
final class FakeBridgeMain {
    private FakeBridgeMain() {}

    public static void main(String[] arguments) {
        System.exit(BridgeMain.run(arguments, config -> {
            System.out.println("begun");
            return () -> {
                System.out.println("closing");
                if (config.node().equals("stuck")) {
                    new CountDownLatch(1).await();
                }
            };
        }));
    }
}
