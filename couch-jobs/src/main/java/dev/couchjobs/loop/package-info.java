/** Background loops that survive failures and end with their owner, for services that run beside the jobs. */
@NullMarked
package dev.couchjobs.loop;

import org.jspecify.annotations.NullMarked;
