/** Groups of consumers: their committed offsets, their members, and which member holds which partition. */
@NullMarked
package dev.couchjobs.topics.internal.groups;

import org.jspecify.annotations.NullMarked;
