/** Runs jobs for hours while processes are killed, clocks moved and disks full, and checks what must hold. */
@NullMarked
package dev.couchjobs.bench.soak;

import org.jspecify.annotations.NullMarked;
