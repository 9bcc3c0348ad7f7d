/** The configuration file of a bridge: what it may say, and what is wrong with it. */
@NullMarked
package dev.couchjobs.bridge.internal.config;

import org.jspecify.annotations.NullMarked;
