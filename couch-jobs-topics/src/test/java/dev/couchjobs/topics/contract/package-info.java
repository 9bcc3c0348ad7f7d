/** What topics promise, on every engine. */
@NullMarked
package dev.couchjobs.topics.contract;

import org.jspecify.annotations.NullMarked;
