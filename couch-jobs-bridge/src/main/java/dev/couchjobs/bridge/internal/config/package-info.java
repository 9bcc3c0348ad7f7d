/** The configuration file of a bridge, and its checks. */
@NullMarked
package dev.couchjobs.bridge.internal.config;

import org.jspecify.annotations.NullMarked;
