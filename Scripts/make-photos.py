#!/usr/bin/env python3
"""Renders the photos of the example GeoPix: twelve landscapes with EXIF data.

    python3 Scripts/make-photos.py                      renders all photos into Examples/GeoPix/Photos
    python3 Scripts/make-photos.py NAME...              renders some of them
    python3 Scripts/make-photos.py --draft --output FOLDER NAME...     renders quickly, with fewer pixels

numpy and Pillow are needed (`pip install numpy pillow`), and exiftool (`apt-get install libimage-exiftool-perl`).
Nothing is downloaded. The same versions of these packages write the same pixels each time.

A scene has a height for each point of the ground. A ray for each pixel finds the ground, which is then coloured and
lit; haze grows with the distance. Water shows the scene as a camera under the water sees it. Colours are linear
until `develop`. Lengths are kilometres or metres, as it suits the scene; x is to the right, y up and z forwards."""

import argparse
import collections
import concurrent.futures
import io
import pathlib
import shutil
import subprocess
import sys

try:
    import numpy as np
    from PIL import Image, ImageDraw
except ImportError as error:
    sys.exit(f"{error.name} is missing: pip install numpy pillow")

FOLDER = pathlib.Path(__file__).resolve().parents[1] / "Examples/GeoPix/Photos"
LONG, SHORT = 1600, 1200
# Pixels are rendered finer by this factor, and then averaged.
FINER = 2
BYTES_MAX, QUALITY_MAX = 131_000, 78
BELOW = np.float32(-1e6)
VALUES = np.random.default_rng(1).random(1 << 16, dtype=np.float32)


# Noise

def noise(x, y, seed):
    """Returns smooth random values from 0 to 1 and their derivatives along x and y."""
    column, row = np.floor(x), np.floor(y)
    fx, fy = x - column, y - row
    a = (column.astype(np.int64) + seed * 37) & 255
    b = ((row.astype(np.int64) + seed * 91) & 255) << 8
    a1, b1 = (a + 1) & 255, (b + 256) & 65535
    v00, v10, v01, v11 = VALUES[a | b], VALUES[a1 | b], VALUES[a | b1], VALUES[a1 | b1]
    ux, uy = fx * fx * fx * (fx * (fx * 6 - 15) + 10), fy * fy * fy * (fy * (fy * 6 - 15) + 10)
    right, up, both = v10 - v00, v01 - v00, v00 - v10 - v01 + v11
    slope_x, slope_y = 30 * fx * fx * (fx * (fx - 2) + 1), 30 * fy * fy * (fy * (fy - 2) + 1)
    return v00 + right * ux + up * uy + both * ux * uy, slope_x * (right + both * uy), slope_y * (up + both * ux)


def in_pieces(function, x, y):
    """Calls a function with pieces of x and y that fit into the processor's cache."""
    x, y = np.broadcast_arrays(np.asarray(x, np.float32), np.asarray(y, np.float32))
    result = np.empty(x.size, np.float32)
    flat_x, flat_y = x.ravel(), y.ravel()
    for start in range(0, x.size, 1 << 15):
        piece = slice(start, start + (1 << 15))
        result[piece] = function(flat_x[piece], flat_y[piece])
    return result.reshape(x.shape)


def fractal(x, y, octaves=6, seed=0, gain=0.5, erosion=0.0, ridged=False):
    """Returns fractal noise, about 0 to 1. With erosion, steep places have less detail, as eroded mountains do."""
    def piece(x, y):
        total, weight, sum_x, sum_y, norm = 0, 1.0, 0, 0, 0
        for octave in range(octaves):
            value, slope_x, slope_y = noise(x, y, seed * 16 + octave)
            if ridged:
                value = 1 - np.abs(2 * value - 1)
                value = value * value
            if erosion:
                sum_x, sum_y = sum_x + slope_x, sum_y + slope_y
                value = value / (1 + erosion * (sum_x * sum_x + sum_y * sum_y))
            total = total + weight * value
            norm += weight
            weight *= gain
            x, y = 1.6 * x + 1.2 * y, -1.2 * x + 1.6 * y
        return total / norm
    return in_pieces(piece, x, y)


def trees(x, z, cell, seed, round_crowns=False):
    """Returns the heights (0 to 1) of trees in a grid of cells, each at a random place of its cell, and a random number
    for each tree."""
    best, identity = np.zeros_like(x), np.zeros_like(x)
    column, row = np.floor(x / cell), np.floor(z / cell)
    for across in (-1, 0, 1):
        for along in (-1, 0, 1):
            index = ((column + across).astype(np.int64) * 73 + (row + along).astype(np.int64) * 4001 + seed) & 65535
            jx, jz, size = VALUES[index], VALUES[index ^ 0x5A5A], VALUES[index ^ 0x1234]
            fx, fz = x / cell - column - across - jx, z / cell - row - along - jz
            distance = np.hypot(fx, fz) / (0.45 + 0.35 * size)
            value = np.maximum(1 - distance ** 2, 0) ** 0.5 if round_crowns else np.maximum(1 - distance, 0)
            if not round_crowns:
                value = value + 0.05 * ((value * 7 + 9 * size + 0.9 * fx) % 1) * (value > 0)
            value *= 0.55 + 0.45 * size
            identity = np.where(value > best, VALUES[index ^ 0x0F0F], identity)
            best = np.maximum(best, value)
    return best, identity


# Colours

def colour(text):
    """Returns the linear colour of a text such as `#ffcc88`."""
    values = np.array([int(text[i:i + 2], 16) / 255 for i in (1, 3, 5)], np.float32)
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4).astype(np.float32)


def mix(a, b, share):
    """Returns a mixture of two colours; share has a value for each pixel, or is a number."""
    share = np.asarray(share, np.float32)[..., None]
    return a + (b - a) * share


def smooth(low, high, value):
    """Returns 0 below low, 1 above high and a smooth transition between them."""
    share = np.clip((value - low) / (high - low), 0, 1)
    return share * share * (3 - 2 * share)


def direction(azimuth, elevation):
    """Returns a unit vector; azimuth 0 is forwards, 90 to the right."""
    a, e = np.radians(azimuth), np.radians(elevation)
    return np.array([np.sin(a) * np.cos(e), np.sin(e), np.cos(a) * np.cos(e)], np.float32)


class Light:
    """The sun or moon, the light of the sky, and the haze."""

    def __init__(self, azimuth, elevation, sun, sky, haze, density, glow=1.0, mist=0.0, mist_height=1.0):
        self.sun, self.sun_colour = direction(azimuth, elevation), colour(sun[0]) * sun[1]
        self.sky_colour, self.haze_colour = colour(sky[0]) * sky[1], colour(haze)
        self.density, self.glow, self.mist, self.mist_height = density, glow, mist, mist_height

    def glare(self, x, y, z):
        """Returns how much the air glows in the direction of a ray."""
        cosine = np.maximum((x * self.sun[0] + y * self.sun[1] + z * self.sun[2]) / np.sqrt(x * x + y * y + z * z), 0)
        return self.glow * (0.25 * cosine ** 6 + 0.3 * cosine ** 60 + 0.4 * cosine ** 500)

    def through_haze(self, colours, x, camera, y, z):
        """Returns the colours of points as the camera sees them through the haze, and through mist near the ground."""
        distance = np.sqrt(x * x + (y - camera) ** 2 + z * z)
        rise = np.where(np.abs(y - camera) < 1e-4, 1e-4, y - camera) / self.mist_height
        mist = self.mist * distance * np.exp(-max(camera, 0) / self.mist_height)
        mist = mist * (1 - np.exp(-np.maximum(rise, -20))) / rise
        through = np.exp(-(distance * self.density)[:, None] * np.array([0.75, 1, 1.3], np.float32) - mist[:, None])
        air = self.haze_colour + self.glare(x, y - camera, z)[:, None] * self.sun_colour * 0.35
        return colours * through + air * (1 - through)


# Ground, sky and water

class View:
    """A camera, at x = z = 0, that looks forwards. It has the size of the picture in pixels."""

    def __init__(self, width, height, focal, horizon, camera):
        self.width, self.height, self.camera = width, height, camera
        self.focal, self.horizon = focal * width, horizon * height
        self.right = ((np.arange(width, dtype=np.float32) + 0.5 - width / 2) / self.focal)[None, :]
        self.up = ((self.horizon - np.arange(height, dtype=np.float32) - 0.5) / self.focal)[:, None]

    def depth(self, height, near, far, camera, steps=1100):
        """Returns for each pixel how far forwards its ray meets the ground above y = 0; 0 means never."""
        depths = np.geomspace(near, far, steps, dtype=np.float32)[:, None]
        slopes = (height(self.right * depths, depths + 0 * self.right) - camera) / depths
        highest = np.maximum.accumulate(slopes, axis=0)
        result = np.zeros((self.height, self.width), np.float32)
        ups = self.up[:, 0]
        for column in range(self.width):
            rising = slopes[:, column]
            index = np.searchsorted(highest[:, column], ups)
            after, before = np.minimum(index, steps - 1), np.maximum(index - 1, 0)
            share = (ups - rising[before]) / np.maximum(rising[after] - rising[before], 1e-9)
            found = depths[before, 0] + np.clip(share, 0, 1) * (depths[after, 0] - depths[before, 0])
            result[:, column] = np.where((index < steps) & (camera + ups * found >= 0), found, 0)
        return result

    def add_ground(self, image, height, material, light, near, far, mirrored=False, shade_to=0.0, steps=1100):
        """Draws the ground. `material` returns colours for x, y, z and the slope's normal. Shadows are looked for up to
        the distance `shade_to`. The mirrored ground is the one that water shows."""
        camera = -self.camera if mirrored else self.camera
        depth = self.depth(height, near, far, camera, steps)
        hit = depth > 0
        z = depth[hit]
        x = (self.right * depth)[hit]
        y = camera + (self.up * depth)[hit]
        step = z / self.focal * 1.2 + near * 0.002
        here = height(x, z)
        normal = np.stack([here - height(x + step, z), step, here - height(x, z + step)], axis=-1)
        normal /= np.linalg.norm(normal, axis=-1, keepdims=True)
        sunlit = np.maximum(normal @ light.sun, 0)
        if shade_to:
            for along in np.geomspace(shade_to / 60, shade_to, 11):
                over = height(x + light.sun[0] * along, z + light.sun[2] * along) - here - light.sun[1] * along
                sunlit = sunlit * (1 - smooth(0, 0.12 * along, over - 0.004 * shade_to))
        ambient = (0.55 + 0.45 * normal[:, 1])[:, None] * light.sky_colour
        colours = material(x, np.maximum(y, 0.0), z, normal) * (sunlit[:, None] * light.sun_colour + ambient)
        image[hit] = light.through_haze(colours, x, camera, y, z)
        return depth

    def add_coast(self, image, height, material, light, near, far, tint, waves, size, glitter=1.0, calm=0.0,
                  shade_to=0.0, steps=1100):
        """Draws water and then the ground; ground below the water has the height BELOW."""
        mirror = image.copy()
        self.add_ground(mirror, height, material, light, near, far, mirrored=True)
        self.add_water(image, mirror, light, tint, waves, size, glitter, calm)
        return self.add_ground(image, height, material, light, near, far, shade_to=shade_to, steps=steps)

    def sky(self, stops, light, disc=0.0):
        """Returns a picture of the sky. `stops` are pairs of a height (0 is the horizon, 1 the zenith) and a colour."""
        length = np.sqrt(1 + self.right ** 2 + self.up ** 2)
        rise = np.maximum(self.up / length, 0) + 0 * self.right
        heights = np.array([stop[0] for stop in stops])
        colours = np.array([colour(stop[1]) for stop in stops])
        image = np.stack([np.interp(rise, heights, colours[:, channel]) for channel in range(3)], axis=-1)
        image = image.astype(np.float32) + light.glare(self.right, self.up, 1)[..., None] * light.sun_colour * 0.5
        cosine = (self.right * light.sun[0] + self.up * light.sun[1] + light.sun[2]) / length
        if disc:
            image += smooth(np.cos(disc * 1.15), np.cos(disc), cosine)[..., None] * light.sun_colour * 1.5
        return image

    def add_clouds(self, image, light, bright, dark, scale, cover, seed, thick=0.25, layers=14, fade=0.06, stretch=1.0):
        """Draws clouds with flat bases. `cover` is their share of the sky; `scale` is small for large clouds."""
        seen = (self.up > 0.012) & (self.right < 1e9)
        right, up = np.broadcast_to(self.right, seen.shape)[seen], np.broadcast_to(self.up, seen.shape)[seen]
        through, total = np.ones_like(up), np.zeros((up.size, 3), np.float32)
        glare = 1 + 2 * light.glare(right, up, 1)
        shift = np.random.default_rng(seed).random(up.size, dtype=np.float32)
        for layer in range(layers):
            part = (layer + shift) / layers
            x, z = right / up * (1 + thick * part) * scale * stretch, (1 + thick * part) / up * scale
            density = fractal(x, z, 8, seed, 0.53) - (1 - cover) - 0.16 * part
            ahead = fractal(x + light.sun[0] * 0.25, z + light.sun[2] * 0.25, 3, seed) - (1 - cover)
            alpha = 1 - np.exp(-np.clip(density * 60, 0, 8) / layers * 2.2)
            lit = np.clip(0.15 + 0.85 * part + 0.9 * (density - ahead) + 0.35 * (1 - np.clip(density * 9, 0, 1)), 0, 1)
            total += mix(colour(dark), colour(bright), lit) * (through * alpha * glare)[:, None]
            through *= 1 - alpha
        share = (1 - np.exp(-np.maximum(up - 0.012, 0) / fade))[:, None]
        image[seen] = image[seen] * (1 - share) + (image[seen] * through[:, None] + total) * share

    def add_water(self, image, mirror, light, tint, waves, size, glitter=1.0, calm=0.0):
        """Draws water below the horizon. `tint` is the colour of the water itself, or returns it and the share of foam
        for x and z. `calm` is the share by which waves are smaller in calm places."""
        below = (self.up < -1e-4) & (self.right < 1e9)
        right, up = np.broadcast_to(self.right, below.shape)[below], np.broadcast_to(self.up, below.shape)[below]
        z = self.camera / -up
        x = right * z
        step = size * 0.08 + z / self.focal
        slopes = waves / (1 + 0.3 * z * z / (self.camera * self.focal * size)) ** 0.8
        slopes = slopes * (1 - calm * smooth(0.45, 0.6, fractal(x / size / 50, z / size / 18, 3, 91)))
        here = fractal(x / size, z / size * 1.3, 5, 90)
        nx = (here - fractal((x + step) / size, z / size * 1.3, 5, 90)) * slopes * size / step
        nz = (here - fractal(x / size, (z + step) / size * 1.3, 5, 90)) * slopes * size / step
        along = 2 * (right * nx + up + nz) / (1 + nx * nx + nz * nz)
        rx, ry, rz = right - along * nx, np.abs(up - along), np.maximum(1 - along * nz, 0.05)
        rows = np.abs(self.horizon - ry / rz * self.focal)
        columns = np.clip(rx / rz * self.focal + self.width / 2, 0, self.width - 1)
        reflected = mirror[np.clip(rows, 0, self.horizon - 1).astype(int), columns.astype(int)]
        cosine = np.clip(-up / np.sqrt(1 + right ** 2 + up ** 2) * 1.1 + 0.15 * np.abs(nz), 0, 1)
        deep, foam = (colour(tint), 0) if isinstance(tint, str) else tint(x, z)
        colours = mix(deep, reflected, 0.03 + 0.97 * (1 - cosine) ** 5)
        length = np.sqrt(rx * rx + ry * ry + rz * rz)
        shine = np.maximum((rx * light.sun[0] + ry * light.sun[1] + rz * light.sun[2]) / length, 0)
        colours = colours + (glitter * (0.1 * shine ** 40 + 2 * shine ** 400))[:, None] * light.sun_colour
        colours = mix(colours, light.sun_colour * 0.35 + light.sky_colour * 0.6, foam)
        image[below] = light.through_haze(colours, x, self.camera, 0 * x, z)


def conifer(draw, x, base, height, random):
    """Draws the silhouette of a conifer."""
    left, right, tiers = [], [], max(8, int(height / 9))
    for tier in range(tiers):
        part = tier / tiers
        reach = height * 0.17 * (0.06 + part ** 0.85)
        y = base - height * (1 - part * 0.94)
        for side, points in ((-1, left), (1, right)):
            width = reach * random.uniform(0.65, 1.15)
            points += [(x + side * width * 0.35, y), (x + side * width, y + height / tiers * random.uniform(0.9, 1.6))]
    trunk = height * 0.014
    top, bottom = base - height * 0.04, base + height * 0.05
    stem = [(x + trunk, top), (x + trunk, bottom), (x - trunk, bottom), (x - trunk, top)]
    draw.polygon([(x, base - height), *right, *stem, *left[::-1]], fill=255)


def silhouette(view, drawing):
    """Returns the shares of the pixels that a drawing covers; the drawing gets a Pillow canvas."""
    canvas = Image.new("L", (view.width, view.height))
    drawing(ImageDraw.Draw(canvas))
    return np.asarray(canvas, np.float32) / 255


# Scenes: each returns a picture

def alps(view):
    """Renders snowy mountains above valley mist; the first sunlight comes from the left."""
    light = Light(-68, 9, ("#ffae78", 3.4), ("#6f86c8", 0.42), "#b4b0d6", 0.018, 0.7, 330, 0.2)
    view.camera = 2.3

    def height(x, z):
        rise = 0.9 + 2.4 * smooth(4, 13, z + 0.35 * np.abs(x)) + 1.2 * smooth(14, 30, z)
        return 0.2 + 2.6 * rise * fractal(x / 8 + 3.3, z / 8 + 1.2, 11, 5, 0.5, 0.8)

    def material(x, y, z, normal):
        patch = fractal(x * 3, z * 3, 5, 9)
        ground = mix(colour("#4b5238"), colour("#77706c"), smooth(1.5, 2.0, y + 0.4 * patch))
        snow = smooth(1.75, 2.25, y + 0.5 * (patch - 0.5)) * smooth(0.42, 0.62, normal[:, 1] + 0.25 * (patch - 0.5))
        return mix(ground, colour("#f4f4fa"), snow)

    image = view.sky(((0, "#f3c3a8"), (0.08, "#e8b9b4"), (0.22, "#a9abd0"), (0.5, "#6b86bd"), (1, "#3c5c99")), light)
    view.add_clouds(image, light, "#ffd2bb", "#a99bb9", 0.5, 0.36, 21, 0.1, 14, 0.2, 0.5)
    view.add_ground(image, height, material, light, 0.7, 70, shade_to=6)
    random = np.random.default_rng(5)

    def forest(draw):
        for x in np.sort(random.uniform(-0.02, 1.02, 150)):
            tall = view.height * random.uniform(0.04, 0.13) * (0.5 + 2.6 * abs(x - 0.55) ** 1.3)
            base = view.height * (1.02 - 0.3 * abs(x - 0.55) ** 1.5)
            conifer(draw, x * view.width, base, tall, random)
        ground = np.linspace(-0.02, 1.02, 300)
        edge = 1.004 - 0.3 * np.abs(ground - 0.55) ** 1.5 - 0.02 * (fractal(ground * 14, 0.5, 6, 3) - 0.5)
        points = [(x * view.width, y * view.height) for x, y in zip(ground, edge)]
        draw.polygon([(-99, 2 * view.height), *points, (2 * view.width, 2 * view.height)], fill=255)
    return mix(image, colour("#12182a"), silhouette(view, forest))


def sea_cliffs(view):
    """Renders cliffs, stacks and a turquoise sea at noon."""
    light = Light(-125, 52, ("#fff4e0", 2.5), ("#8db8ee", 0.62), "#c3d8ec", 0.00009, 0.3)
    view.camera = 62

    stacks = ((30, 430, 26, 46), (78, 520, 17, 30), (18, 700, 34, 52), (-20, 335, 11, 14))

    def coast(x, z):
        shore = -60 - 0.11 * z + 190 * (fractal(z / 260, x / 900 + 3, 5, 3) - 0.5) + 260 * smooth(600, 1500, z)
        return shore - x + 40 * (fractal(x / 60, z / 60, 5, 4) - 0.5)

    def height(x, z):
        land = coast(x, z)
        top = 44 + 30 * fractal(x / 300, z / 300, 6, 6) + 0.03 * np.maximum(land, 0)
        ledges = 5 * (fractal(x / 22, z / 22, 6, 7, 0.6) - 0.5)
        cliff = top * (0.25 * smooth(-14, 4, land) + 0.75 * smooth(0, 26, land)) + ledges * smooth(-12, 3, land)
        for sx, sz, wide, tall in stacks:
            away = np.hypot(x - sx, (z - sz) * 0.7) + 24 * (fractal(x / 20, z / 20, 5, 8) - 0.5)
            stack = smooth(wide, wide * 0.6, away) * 0.7 + 0.3 * smooth(wide * 0.7, 0, away + 0.5 * (x - sx))
            cliff = np.maximum(cliff, tall * stack + ledges * smooth(wide, wide * 0.5, away))
        return np.where(cliff > 0.4, cliff, BELOW)

    def material(x, y, z, normal):
        patch = fractal(x / 30, z / 30, 6, 11)
        rock = mix(colour("#5f5248"), colour("#b09c86"), smooth(0.25, 0.75, fractal(y / 7, x / 50 + z / 50, 5, 12)))
        rock = mix(rock, colour("#3a3632"), smooth(9, 2, y))
        grass = mix(colour("#566b38"), colour("#7d8046"), smooth(0.3, 0.7, patch))
        return mix(rock, grass, smooth(0.62, 0.8, normal[:, 1] + 0.3 * (patch - 0.5)) * smooth(16, 26, y))

    def tint(x, z):
        near = smooth(-130, 0, coast(x, z))
        for sx, sz, wide, _ in stacks:
            near = np.maximum(near, 0.8 * smooth(wide * 1.9, wide * 0.9, np.hypot(x - sx, (z - sz) * 0.7)))
        deep = mix(colour("#0b3f63"), colour("#2aa6a8"), near)
        lace = fractal(x / 9, z / 9, 6, 13)
        foam = smooth(0.54, 0.74, lace + 0.22 * smooth(0.8, 1, near)) * smooth(0.7, 1, near)
        return deep, np.maximum(foam, 0.5 * smooth(0.7, 0.8, fractal(x / 9, z / 4, 6, 14)) * smooth(1500, 300, z))

    image = view.sky(((0, "#cfe2f0"), (0.1, "#a5c9ea"), (0.35, "#5f9bd8"), (1, "#2862ad")), light)
    view.add_clouds(image, light, "#ffffff", "#b6c3d3", 0.9, 0.42, 31)
    view.add_coast(image, height, material, light, 30, 9000, tint, 0.2, 9, 0.6, shade_to=90, steps=2000)
    return image


def dunes(view):
    """Renders desert dunes with the sun low at the left."""
    light = Light(-72, 14, ("#ffa866", 3.3), ("#8a7bb0", 0.4), "#e0a48c", 0.00008, 1.1)
    view.camera = 130

    def height(x, z):
        bend = 330 * fractal(x / 520, z / 520, 3, 2)
        across = (x * 0.93 + z * 0.24 + bend - 30) / 300
        part = across - np.floor(across)
        crest = np.where(part < 0.7, smooth(0, 0.7, part) * 0.6 + part / 0.7 * 0.4, (1 - part) / 0.3)
        size = 20 + 100 * fractal(x / 700, z / 700, 3, 3) ** 1.5
        far = 130 * smooth(900, 2600, z) * fractal(x / 800, z / 800, 4, 4)
        ripple = 0.11 * np.sin((x * 0.9 - z * 0.35 + 7 * fractal(x / 14, z / 14, 3, 5)) * 2.2) * smooth(420, 60, z)
        return 2 + size * crest + far + ripple

    def material(x, y, z, normal):
        return mix(colour("#b8754a"), colour("#d3a070"), fractal(x / 40, z / 40, 6, 6))

    image = view.sky(((0, "#f9b36f"), (0.1, "#ee9a78"), (0.25, "#b884a0"), (0.55, "#6a6aa6"), (1, "#3a4a86")), light)
    view.add_clouds(image, light, "#ffc48c", "#a2708c", 0.6, 0.4, 44, 0.08, 14, 0.1, 0.35)
    view.add_ground(image, height, material, light, 25, 9000, shade_to=300, steps=2600)
    return image


def fjord(view):
    """Renders a fjord between steep walls in fog."""
    light = Light(15, 40, ("#f8ecd4", 1.7), ("#b8cad8", 0.9), "#d3dce1", 0.07, 0.35, 0.4, 0.1)
    view.camera = 0.05

    def height(x, z):
        middle = 0.75 * np.sin(z * 0.55 + 0.4) * smooth(0.5, 3, z)
        wall = np.abs(x - middle) - 0.3 - 0.3 * (fractal(z * 1.1, x * 0.4, 5, 2) - 0.4)
        rise = np.where(wall > 0, 1.35 * smooth(0, 1.7, wall + 0.03) + 0.5 * wall, 0)
        rise = rise * (0.55 + 0.9 * fractal(x * 0.8 + 9, z * 0.8, 9, 3, 0.5, 0.7))
        crowns, _ = trees(x, z, 0.012, 5)
        forest = 0.02 * crowns * smooth(0.5, 0.3, rise) * smooth(0.35, 0.5, fractal(x * 2, z * 2, 4, 6))
        return np.where((wall > 0) & (rise > 0.003), rise + forest, BELOW)

    def material(x, y, z, normal):
        patch = fractal(x * 9, z * 9, 6, 7)
        wood = mix(colour("#24382f"), colour("#3d5138"), patch)
        rock = mix(colour("#4d5356"), colour("#75797a"), patch)
        rock = mix(rock, colour("#f2f5f7"), smooth(0.8, 1.15, y + 0.3 * patch) * smooth(0.35, 0.6, normal[:, 1]))
        return mix(rock, wood, smooth(0.75, 0.35, y + 0.35 * (patch - 0.5)) * smooth(0.12, 0.4, normal[:, 1]))

    image = view.sky(((0, "#d2dbe0"), (0.25, "#d6dcdf"), (0.6, "#bcc8d0"), (1, "#a0b0bd")), light)
    view.add_clouds(image, light, "#e6eaec", "#aab6c0", 0.8, 0.62, 52, 0.2, 8, 0.2)
    depth = view.add_coast(image, height, material, light, 0.1, 16, "#3f555f", 0.1, 0.012, 0.0, 0.7)
    y = view.camera + view.up * depth
    wisps = smooth(0.3, 0.6, fractal(view.right * depth * 0.9, y * 4, 6, 8)) * smooth(1, 4, depth)
    image = mix(image, light.haze_colour * 1.1, 0.85 * wisps * np.exp(-((y - 0.33) / 0.1) ** 2))
    add_boat(image, view, light)
    return image


def add_boat(image, view, light):
    """Draws a red boat and its reflection. x and y are about 1 at the ends of the boat; y is 0 at its water line."""
    unit = 0.034 * view.width
    x = (np.arange(view.width)[None, :] - 0.6 * view.width) / unit
    y = (view.horizon - np.arange(view.height)[:, None]) / unit + 3
    for up, dim in ((y, 0), (np.where(y < 0, -y * 0.8 + 0.15 * np.sin(y * 9 + x * 3), -1), 0.55)):
        cabin = (np.abs(x + 0.1) < 0.35) & (up > 0.2) & (up < 0.75)
        mast = (np.abs(x + 0.45) < 0.035) & (up > 0) & (up < 1.5)
        hull = (np.abs(x) < 0.82 + 0.28 * up) & (up > 0) & (up < 0.3 + 0.16 * x * x)
        for shape, shade in ((cabin, "#e8e4da"), (mast, "#4a3a30"), (hull, "#a8352a")):
            paint = mix(colour(shade) * 0.75, light.haze_colour * 0.5, dim)
            image[:] = mix(image, paint, shape * (1 - dim * 0.6))


def forest_lake(view):
    """Renders a lake in a conifer forest, with hills behind it, in the morning."""
    light = Light(-112, 24, ("#ffe2b0", 2.7), ("#9dbbe0", 0.5), "#b9cbdc", 0.00022, 0.9, 0.0011, 7)
    view.camera = 5

    def height(x, z):
        shore = 330 + 0.12 * x + 130 * (fractal(x / 170, z / 400 + 2, 4, 3) - 0.5) + 150 * smooth(70, 130, x) * -1
        bank = np.maximum(z - shore, 45 * smooth(-78, -96, x - z * 0.05 + 60 * (fractal(z / 90, x / 90, 3, 7) - 0.5)))
        hill = 2.2 * smooth(0, 14, bank) + 0.05 * np.maximum(bank, 0) + 240 * smooth(300, 1900, z) * fractal(
            x / 700 + 4, z / 700, 6, 4)
        crowns, _ = trees(x, z, 7.5, 5)
        clearing = smooth(0.3, 0.36, fractal(x / 160, z / 160, 4, 6)) * smooth(2, 12, bank)
        return np.where(bank > 0, hill + 19 * crowns ** 0.85 * clearing, BELOW)

    def material(x, y, z, normal):
        _, identity = trees(x, z, 7.5, 5)
        green = mix(colour("#1f3a22"), colour("#4f6a2f"), 0.75 * identity + 0.4 * (fractal(x / 60, z / 60, 4, 8) - 0.3))
        green = mix(green, colour("#8a8a3a"), smooth(0.9, 0.95, identity) * 0.7)
        return mix(colour("#8f9a4e"), green, smooth(1.5, 4, y))

    image = view.sky(((0, "#e9e3d2"), (0.12, "#bfd4e4"), (0.35, "#79aedb"), (1, "#2d69ad")), light)
    view.add_clouds(image, light, "#fff6e6", "#b4bfd0", 0.9, 0.4, 61, 0.2)
    view.add_coast(image, height, material, light, 8, 6000, "#0f2a2c", 0.016, 2.2, 0.03, 0.8, shade_to=60)
    random = np.random.default_rng(8)

    def reeds(draw):
        for x in random.normal(0.14, 0.12, 240):
            x, tall = x * view.width, view.height * random.uniform(0.04, 0.17)
            bend, base = random.normal(0, 0.18) * tall, view.height * random.uniform(1.0, 1.03)
            points = (x, base, x + bend * 0.4, base - tall * 0.6, x + bend, base - tall)
            draw.line(points, fill=255, width=max(1, view.width // 700))
    return mix(image, colour("#1b2a16"), silhouette(view, reeds))


def night_sky(view):
    """Renders stars and the Milky Way above a ridge."""
    light = Light(60, 24, ("#aebfe6", 0.2), ("#5a74b0", 0.06), "#1d2c4d", 0.018, 0.0)
    view.camera = 2.0
    random = np.random.default_rng(11)

    def height(x, z):
        return 0.3 + 2.1 * (0.7 + 1.3 * smooth(2, 11, z)) * fractal(x / 7 + 5.2, z / 7 + 7.1, 11, 6, 0.5, 0.8)

    def material(x, y, z, normal):
        patch = fractal(x * 3, z * 3, 5, 9)
        snow = smooth(0.5, 0.66, normal[:, 1] + 0.3 * (patch - 0.5)) * smooth(1, 1.7, y)
        return mix(colour("#3d4048"), colour("#eef1fa"), snow)

    image = view.sky(((0, "#3a4a63"), (0.1, "#26395c"), (0.35, "#142446"), (1, "#091430")), light)
    x, y = np.broadcast_arrays(np.arange(view.width) / view.width, np.arange(view.height)[:, None] / view.width)
    away = (x - 0.98 + 0.62 * y) * 0.85 + 0.16 * (fractal(x * 3, y * 3, 5, 2) - 0.5)
    along = x * 0.53 + y * 0.85
    dust = smooth(0.42, 0.7, fractal(along * 6, away * 9, 8, 3, 0.6)) * np.exp(-(away / 0.09) ** 2)
    band = np.exp(-(away / 0.17) ** 2) * (0.35 + 1.1 * fractal(x * 7, y * 7, 8, 4, 0.6))
    band += 0.8 * np.exp(-(away / 0.07) ** 2)
    tones = mix(colour("#39476b"), colour("#8d7a76"), np.exp(-(away / 0.06) ** 2))
    image += 0.5 * (band * (1 - 0.85 * dust))[..., None] * tones
    add_stars(image, band, random)
    view.add_ground(image, height, material, light, 0.6, 50, shade_to=5)
    return image


def add_stars(image, band, random):
    """Draws stars; there are more of the faint ones where the band of the Milky Way is bright."""
    height, width = band.shape
    for size, count in ((0.55, 5200), (0.8, 900), (1.25, 120), (1.9, 22)):
        radius = size * width / SHORT
        reach = int(radius * 3) + 1
        for _ in range(count):
            px, py = random.uniform(reach, width - reach - 1), random.uniform(reach, height - reach - 1)
            cx, cy = int(px), int(py)
            if size < 1 and random.random() > 0.35 + band[cy, cx]:
                continue
            y, x = np.mgrid[-reach:reach + 1, -reach:reach + 1]
            spot = np.exp(-((y + cy - py) ** 2 + (x + cx - px) ** 2) / (2 * radius * radius))
            tone = mix(colour("#b9ccff"), colour("#ffe0b8"), random.random() ** 2)
            tone = tone * random.uniform(0.2, 1) * (0.5 + size / 2)
            image[cy - reach:cy + reach + 1, cx - reach:cx + reach + 1] += spot[..., None] * tone


def city(view):
    """Renders the towers of a city behind a lake at dusk."""
    light = Light(-30, 1, ("#ff9a5c", 1.2), ("#5a6ba8", 0.3), "#7d6f96", 0.0, 0.9)
    view.camera = 6
    random = np.random.default_rng(17)
    image = view.sky(((0, "#f6a970"), (0.06, "#e88f78"), (0.16, "#a9749a"), (0.34, "#55599a"), (0.7, "#262f68"),
                      (1, "#161d48")), light)
    view.add_clouds(image, light, "#f09a86", "#4e4a7c", 0.55, 0.42, 71, 0.12, 20, 0.12, 0.4)
    base = int(view.horizon) + 1
    unit = view.width / LONG
    hill = (view.horizon - unit * (60 + 90 * fractal(np.arange(view.width) / unit / 420, 0.0, 6, 3)))[None, :]
    image = mix(image, colour("#5a527e"), smooth(-1, 1, np.arange(view.height)[:, None] - hill))
    for shade, share, count, low, tall, lamps in (("#6a5c86", 0, 60, 60, 190, 0.25), ("#463f68", 0, 46, 60, 290, 0.4),
                                                  ("#262643", 1, 54, 36, 130, 0.5)):
        for _ in range(count):
            middle = random.uniform(-0.02, 1.02)
            peak = 1 if share else 0.35 + 1.5 * np.exp(-((middle - 0.62) / 0.17) ** 2)
            high, wide = int(unit * random.uniform(low, tall) * peak), int(unit * random.uniform(30, 62 + 30 * share))
            left, right = max(int(middle * view.width), 0), min(int(middle * view.width) + wide, view.width)
            add_building(image, left, right, base - high, base, shade, lamps, unit, random)
    image[base - int(4 * unit):base] = colour("#1b1b33")
    x, y = np.arange(view.width)[None, :] / unit, (np.arange(view.height)[:, None] - base) / unit + 9
    image += (np.exp(-np.hypot((x + 9) % 34 - 17, y) / 2.2) * 2)[..., None] * colour("#ffc47a")
    for x, tall in ((0.2, 270), (0.232, 262), (0.37, 240)):
        add_spire(image, x * view.width, base, tall * unit, "#2a2846")
    mirror = image.copy()
    view.add_water(image, mirror, light, "#141a35", 0.05, 2.6, 0.0)
    return image


def add_building(image, left, right, top, base, shade, lamps, unit, random):
    """Draws a building with lit windows; its left side is brighter, because the sun has set there."""
    if right - left < 8:
        return
    wall = colour(shade)
    sides = np.linspace(1.25, 0.8, right - left)[None, :, None]
    image[top:base, left:right] = wall * sides * np.linspace(0.85, 1.2, base - top)[:, None, None]
    step_x, step_y = max(3, round(random.uniform(6, 8.5) * unit)), max(3, round(9 * unit))
    for y in range(top + step_y, base - step_y // 2, step_y):
        floor = random.random() ** 0.6
        for x in range(left + step_x // 2, right - step_x, step_x):
            if random.random() < lamps * floor * 0.75:
                lamp = mix(colour("#ffb765"), colour("#fff0d2"), random.random()) * random.uniform(0.25, 0.95)
                image[y:y + max(1, int(step_y * 0.55)), x:x + max(1, int(step_x * 0.65))] = lamp
    if random.random() < 0.25:
        mast, tall = (left + right) // 2, int(unit * random.uniform(10, 26))
        image[top - tall:top, mast:mast + max(1, round(unit * 1.5))] = wall


def add_spire(image, x, base, tall, shade):
    """Draws a church tower with a pointed roof."""
    for y in range(int(base - tall), base):
        part = (y - base + tall) / tall
        half = tall * (0.004 + 0.1 * part if part < 0.5 else 0.062)
        image[y, int(x - half):int(x + half) + 1] = colour(shade) * (1.1 if part < 0.5 else 0.9)


def autumn_valley(view):
    """Renders a river that bends through an autumn forest."""
    light = Light(-62, 24, ("#ffd79a", 2.8), ("#9db6de", 0.5), "#c6c9d2", 0.00016, 0.9, 0.0005, 25)
    view.camera = 88

    def bank(x, z):
        bend = (95 * np.sin(z / 210 + 0.6) + 40 * np.sin(z / 97)) * smooth(60, 500, z) + 0.05 * z
        return np.abs(x - bend) - 21 - 8 * fractal(x / 60, z / 60, 3, 3)

    def wood(x, z, away):
        where = fractal(x / 170, z / 170, 4, 7) + 0.25 * smooth(60, 200, away)
        return smooth(0.4, 0.44, where) * smooth(7, 15, away)

    def height(x, z):
        away = bank(x, z)
        crowns, _ = trees(x, z, 7, 5, True)
        hills = 190 * smooth(40, 620, away) * (0.35 + fractal(x / 500, z / 500, 7, 6, 0.45, 0.2))
        rise = 2 + 0.04 * np.maximum(away, 0) + hills
        leaves = 0.78 + 0.44 * fractal(x / 2, z / 2, 3, 11)
        return np.where(away > 0, rise * smooth(-1, 6, away) + 11 * crowns * wood(x, z, away) * leaves, BELOW)

    def material(x, y, z, normal):
        crowns, identity = trees(x, z, 7, 5, True)
        tone = np.clip(identity + 0.5 * (fractal(x / 130, z / 130, 4, 8) - 0.5), 0, 1)[:, None]
        stops = np.array([0, 0.2, 0.42, 0.6, 0.8, 1])
        leaves = [colour(text) for text in ("#41552a", "#6f7434", "#b8923c", "#b9752f", "#99502a", "#74382a")]
        leaf = np.concatenate([np.interp(tone, stops, [c[i] for c in leaves]) for i in range(3)], axis=1)
        leaf *= (0.5 + fractal(x / 2, z / 2, 3, 9))[:, None] * (0.45 + 0.6 * crowns)[:, None]
        meadow = mix(colour("#7d8a3c"), colour("#a89a4c"), fractal(x / 25, z / 25, 6, 10))
        away = bank(x, z)
        ground = mix(colour("#a89c82"), meadow, smooth(2, 6, away))
        return mix(ground, leaf, wood(x, z, away) * smooth(0.05, 0.2, crowns))

    image = view.sky(((0, "#f1e1c4"), (0.1, "#d2d9e0"), (0.3, "#8fb6dc"), (1, "#3a70b4")), light)
    view.add_clouds(image, light, "#fff2dc", "#b0b6c6", 0.7, 0.46, 81, 0.2)
    view.add_coast(image, height, material, light, 20, 20000, "#29453f", 0.1, 4, 0.3, shade_to=110, steps=1500)
    return image


def snow_field(view):
    """Renders a snow field with a ski track in the low sun."""
    light = Light(-52, 15, ("#ffdcb0", 2.5), ("#86a9e6", 0.5), "#c6d3e8", 0.00007, 0.8)

    def wood(x, z):
        crowns, identity = trees(x, z, 5, 6)
        where = smooth(0.5, 0.58, fractal(x / 170, z / 170, 4, 7)) * smooth(110, 170, z) * smooth(2200, 1200, z)
        return np.maximum(crowns - 0.3, 0) / 0.7 * (identity > 0.35) * where

    def height(x, z):
        away = np.abs(np.abs(x - 1.2 - 0.05 * z - 11 * np.sin(z / 31) * smooth(5, 60, z)) - 0.26)
        track = -0.08 * smooth(0.16, 0.08, away) * (z < 300)
        drift = 0.75 * fractal(x / 3 + z / 9, z / 8, 6, 2, 0.5, 0.3) * smooth(900, 50, z) * smooth(0.4, 1.6, away)
        hills = 75 * (fractal(x / 420 + 0.4, z / 420, 4, 3) - 0.3) * smooth(30, 500, z)
        peaks = 2300 * smooth(1500, 9000, z) * fractal(x / 3600 + 2.5, z / 3600, 9, 4, 0.5, 0.7)
        return 20 + 5 * fractal(x / 60, z / 60, 3, 5) + drift + hills + peaks + track + 12 * wood(x, z)

    def material(x, y, z, normal):
        snow = mix(colour("#e9eef6"), colour("#fbfcff"), fractal(x * 3, z * 3, 4, 8))
        rock = smooth(0.88, 0.76, normal[:, 1] + 0.14 * (fractal(x / 90, z / 90, 5, 9) - 0.5)) * smooth(1800, 2600, z)
        branch = mix(colour("#2b3a36"), colour("#dfe6ee"), smooth(0.42, 0.7, fractal(x * 1.5, z * 1.5, 4, 10)) * 0.75)
        return mix(mix(snow, colour("#5a6172"), rock), branch, wood(x, z) > 0.02)

    view.camera = float(height(np.zeros(1, np.float32), np.ones(1, np.float32))[0]) + 2.6
    image = view.sky(((0, "#f3dcc0"), (0.08, "#dcd8de"), (0.25, "#9fc0e6"), (0.6, "#5288cc"), (1, "#2c5ba4")), light)
    view.add_clouds(image, light, "#fff0de", "#b7c0d8", 0.5, 0.4, 95, 0.08, 14, 0.15, 0.3)
    view.add_ground(image, height, material, light, 2.5, 12000, shade_to=40, steps=1500)
    return image


def rolling_fields(view):
    """Renders hills with fields, cypresses along a road and a farmhouse, below cumulus clouds."""
    light = Light(-108, 33, ("#fff0d2", 2.5), ("#93b7ea", 0.55), "#c3d3e4", 0.00008, 0.5)

    def road(z):
        return 14 + 42 * np.sin(z / 95) * smooth(0, 150, z) + 0.1 * z

    def base(x, z):
        near = 95 * fractal(x / 330 + 6.1, z / 260 + 1.3, 3, 3, 0.25) * smooth(0, 300, z)
        knoll = 26 * np.exp(-((x - 95) ** 2 + (z - 440) ** 2) / 110 ** 2)
        return 20 + near + knoll + 300 * smooth(2500, 7000, z) * fractal(x / 2200, z / 2200, 8, 4, 0.5, 0.5)

    def house(x, z):
        barn = np.where((np.abs(x - 100) < 13) & (np.abs(z - 430) < 8), 8 + 4.5 * (1 - np.abs(z - 430) / 8), 0)
        return np.maximum(barn, np.where((np.abs(x - 82) < 5.2) & (np.abs(z - 432) < 5.2), 15, 0))

    def cypresses(x, z):
        at = np.round(z / 17) * 17
        away = np.minimum(np.hypot(x - road(at) - 7, z - at), np.hypot(x - road(at) + 7, z - at))
        size = 0.7 + 0.3 * np.sin(at * 1.7)
        return 14 * size * np.maximum(1 - (away / 1.5) ** 2, 0) ** 0.8 * smooth(70, 90, z) * smooth(420, 410, z)

    def bushes(x, z):
        crowns, _ = trees(x, z, 11, 5, True)
        edge = fractal(x / 210, z / 210, 3, 8)
        hedge = smooth(0.46, 0.5, edge) * smooth(0.54, 0.5, edge) * smooth(120, 200, z)
        grove = smooth(0.62, 0.65, fractal(x / 260, z / 260, 4, 9)) * smooth(300, 500, z)
        leaves = 0.7 + 0.6 * fractal(x / 2, z / 2, 4, 16)
        return 9 * crowns * leaves * np.maximum(hedge, grove) * (np.abs(x - road(z)) > 9)

    def height(x, z):
        walls = house(x, z)
        return base(x, z) + np.where(walls > 0, walls, np.maximum(cypresses(x, z), bushes(x, z)))

    def material(x, y, z, normal):
        bent_x, bent_z = x + 60 * fractal(x / 160, z / 160, 3, 10), z + 90 * fractal(x / 160, z / 160, 3, 11)
        index = (np.floor(bent_x / 95) * 31 + np.floor(bent_z / 80) * 57).astype(np.int64) & 65535
        kind, turn = VALUES[index], VALUES[index ^ 0x2222] * 3.1
        stops = np.array([0, 0.22, 0.4, 0.58, 0.76, 1])
        tones = [colour(text) for text in ("#6b8442", "#8a9a50", "#cdb670", "#bfa262", "#937b58", "#7a904c")]
        field = np.stack([np.interp(kind, stops, [tone[i] for tone in tones]) for i in range(3)], axis=-1)
        furrows = np.sin((x * np.cos(turn) + z * np.sin(turn)) * 3.3) * smooth(300, 60, z) * (turn > 1.5)
        patches = 0.5 * (fractal(x / 9, z / 9, 6, 12) - 0.3) + 0.25 * (fractal(x * 1.4, z * 1.4, 3, 17) - 0.5)
        field *= (0.8 + 0.07 * furrows + patches)[:, None]
        field = mix(field, colour("#d8c6a0"), smooth(3.2, 2.2, np.abs(x - road(z)) + fractal(x, z, 3, 14)) * (z < 425))
        wood = mix(colour("#2c3f22"), colour("#5b6c33"), fractal(x / 2, z / 2, 4, 13))
        field = mix(field, wood, smooth(0.3, 0.8, y - base(x, z)))
        wall = mix(colour("#c9b08a"), colour("#96553f"), (y - base(x, z) > 8.1) & (np.abs(x - 82) > 5.2))
        return np.where((house(x, z + 2.2) + house(x, z) > 0)[:, None], wall, field)

    view.camera = float(base(np.zeros(1, np.float32), np.zeros(1, np.float32))[0]) + 75
    image = view.sky(((0, "#dfe9f0"), (0.1, "#b5d2ec"), (0.35, "#6ba4dc"), (1, "#2f68b2")), light)
    view.add_clouds(image, light, "#ffffff", "#8f9fb8", 0.75, 0.53, 33, 0.4, 18)
    view.add_ground(image, height, material, light, 12, 12000, shade_to=35, steps=1700)
    return image


def lighthouse(view):
    """Renders a lighthouse on a rocky coast in the last light."""
    light = Light(-62, 8, ("#ffb27a", 2.2), ("#8f9fd0", 0.45), "#c9a9b4", 0.00006, 0.9)
    view.camera = 6

    def coast(x, z):
        shore = x - 13 + 0.28 * z + 16 * (fractal(x / 22, z / 22, 5, 3) - 0.5) - 260 * smooth(120, 230, z)
        return np.maximum(shore, -x - 20 + 14 * fractal(x / 9, z / 9, 4, 8) - 1.5 * np.abs(z - 58))

    def height(x, z):
        shore = coast(x, z)
        rock = 5 * smooth(0, 9, shore) + 4 * smooth(8, 40, shore)
        rock += 6 * (fractal(x / 13, z / 9, 7, 4, 0.5, 0.4) - 0.3) * smooth(-2, 7, shore)
        far = 60 * smooth(2500, 4200, z) * (fractal(x / 900 + 3, z / 900, 6, 5) - 0.38 + 0.1 * smooth(0, 1500, x))
        rock = np.maximum(np.where(shore > 0, rock, BELOW), np.where(far > 1, far, BELOW))
        return np.where(rock > 0.15, rock, BELOW)

    def material(x, y, z, normal):
        patch = fractal(x / 3, z / 3, 6, 6)
        rock = mix(colour("#54483f"), colour("#a08a74"), patch)
        rock = mix(rock, colour("#2a2624"), smooth(2.6, 0.8, y + patch))
        grass = smooth(0.6, 0.85, normal[:, 1] + 0.4 * (patch - 0.5)) * smooth(7.5, 10.5, y)
        return mix(rock, colour("#7b7a42"), grass)

    def tint(x, z):
        near = smooth(-11, 0.5, coast(x, z))
        foam = smooth(0.46, 0.68, fractal(x / 2.2, z / 2.2, 7, 13, 0.6) + 0.2 * near ** 4) * smooth(0.35, 0.95, near)
        return mix(colour("#17303f"), colour("#3a6470"), near), 0.9 * foam

    image = view.sky(((0, "#f7c08c"), (0.08, "#eea58c"), (0.2, "#bd93b0"), (0.45, "#6d7fb8"), (1, "#2f468a")), light)
    view.add_clouds(image, light, "#ffc9a0", "#7f7599", 0.5, 0.47, 46, 0.2, 16, 0.1, 0.6)
    depth = view.add_coast(image, height, material, light, 8, 9000, tint, 0.1, 1.9, 0.5, shade_to=40, steps=2000)
    foot = float(height(np.full(1, 9, np.float32), np.full(1, 54, np.float32))[0]) - 2
    place = view.width / 2 + 9 / 54 * view.focal, view.horizon - (foot - view.camera) / 54 * view.focal
    near = (depth > 0) & (depth < 53.5)
    ground = image[near]
    add_tower(image, view, *place, 26 / 54 * view.focal)
    image[near] = ground
    return image


def add_tower(image, view, middle, base, tall):
    """Draws a lighthouse, lit from the left, with its lamp."""
    x, y = np.arange(view.width)[None, :] - middle, (base - np.arange(view.height)[:, None]) / tall
    soft = 0.7
    for low, high, wide, narrow, shade in ((-0.05, 0.78, 0.1, 0.066, "#f1ebe2"), (0.28, 0.5, 0.0874, 0.0778, "#b0402f"),
                                           (0.775, 0.8, 0.092, 0.092, "#3b3a40"), (0.8, 0.9, 0.047, 0.047, "#ffe9b0"),
                                           (0.9, 0.975, 0.06, 0.008, "#8f3327"), (0.97, 1.0, 0.004, 0.002, "#3b3a40")):
        half = tall * (wide + (narrow - wide) * np.clip((y - low) / (high - low), 0, 1))
        inside = smooth(half + soft, half - soft, np.abs(x)) * ((y >= low) & (y < high))
        turn = np.clip(x / half, -1, 1)
        lit = np.clip(-0.75 * turn + 0.55 * np.sqrt(1 - turn * turn), 0, 1)[..., None]
        if shade == "#ffe9b0":
            paint = colour(shade) * (1.4 - 0.5 * (np.abs((x / half * 3) % 1 - 0.5) > 0.42))[..., None]
        else:
            paint = colour(shade) * (lit * colour("#ffc596") * 1.05 + colour("#8f9fd0") * 0.3)
        image[:] = mix(image, paint, inside)
    for up in (0.14, 0.4, 0.62):
        image[:] = mix(image, colour("#2b2d3a"), (np.abs(x + 0.012 * tall) < tall * 0.011) & (np.abs(y - up) < 0.02))
    for rail in range(-4, 5):
        post = (np.abs(x - rail * tall * 0.0225) < tall * 0.0018) & (y > 0.8) & (y < 0.835)
        image[:] = mix(image, colour("#3b3a40"), post)
    image[:] = mix(image, colour("#3b3a40"), (np.abs(x) < tall * 0.092) & (np.abs(y - 0.836) < 0.0025))
    away = np.hypot(x, (y - 0.85) * tall) / tall
    image += (0.55 * np.exp(-away / 0.035) + 0.12 * np.exp(-away / 0.16))[..., None] * colour("#ffe2a0")


def volcano(view):
    """Renders a volcano island with its plume at sunrise, and palms in front."""
    light = Light(-58, 12, ("#ffc490", 2.5), ("#8fa6dc", 0.48), "#d3bcc6", 0.017, 0.9, 0.05, 0.15)
    view.camera = 0.03

    def height(x, z):
        dx, dz = x - 0.7, z - 9.5
        away = np.hypot(dx, dz) * (1 + 0.25 * (fractal(x / 2, z / 2, 4, 2) - 0.5)) + 1e-3
        cone = 2.5 * np.exp(-away / 1.55) - 0.26 + 0.25 * smooth(3, 1, away)
        cone = np.minimum(cone, 1.93 - 0.5 * smooth(0.3, 0.05, away) + 0.14 * (fractal(x * 3, z * 3, 5, 5) - 0.4))
        angle = np.arctan2(dx, dz)
        gullies = fractal(angle * 5 + 0.4 * fractal(x, z, 3, 4), away * 0.6, 6, 3, 0.5, ridged=True)
        cone = cone - 0.34 * gullies * smooth(0.25, 0.9, away) * smooth(-0.05, 0.5, cone)
        cone = cone + 0.1 * (fractal(x * 2.5, z * 2.5, 8, 6) - 0.5)
        return np.where(cone > 0.004, cone, BELOW)

    def material(x, y, z, normal):
        patch = fractal(x * 4, z * 4, 6, 7)
        low = mix(colour("#2f4a24"), colour("#6f8140"), patch)
        high = mix(colour("#4a3a35"), colour("#7d6154"), patch)
        ground = mix(low, high, smooth(0.55, 1.15, y + 0.6 * (patch - 0.5)))
        return mix(colour("#c4ab86"), ground, smooth(0.02, 0.05, y))

    image = view.sky(((0, "#f8cf9e"), (0.07, "#f0b59a"), (0.2, "#b9a6c6"), (0.45, "#7292cc"), (1, "#2f569e")), light)
    view.add_clouds(image, light, "#ffd9ba", "#9a8fae", 0.5, 0.43, 58, 0.15, 16, 0.12, 0.6)
    x = view.right - 0.7 / 9.5
    y = view.up - 1.8 / 9.5
    drift = x - 0.9 * np.maximum(y, 0) ** 1.25 - 0.05 * (fractal(x * 9, y * 9 + 5, 4, 21) - 0.5) * smooth(0, 0.1, y)
    wide = 0.012 + 0.28 * np.maximum(y, 0)
    body = np.exp(-(drift / wide) ** 2) + 0.9 * (fractal(x * 13 - y * 6, y * 13, 7, 22, 0.55) - 0.55)
    share = smooth(0.3, 0.75, body) * smooth(-0.03, 0.0, y) * smooth(0.42, 0.1, y)
    puffs = fractal(x * 13 - y * 6, y * 13, 6, 22) - fractal(x * 13 - y * 6 - 0.25, y * 13 + 0.1, 6, 22)
    smoke = mix(colour("#94859c"), colour("#ffdcc0"), np.clip(0.45 - 0.5 * drift / wide + 2.4 * puffs, 0, 1))
    image = mix(image, smoke, 0.9 * share)
    view.add_coast(image, height, material, light, 0.5, 20, "#15505c", 0.1, 0.006, 0.35, shade_to=1.5)
    random = np.random.default_rng(12)

    def palms(draw):
        for x, base, tall, lean in ((0.05, 1.03, 0.66, 0.22), (0.12, 1.05, 0.5, 0.34), (-0.02, 1.03, 0.5, 0.2)):
            palm(draw, x * view.width, base * view.height, tall * view.height, lean, random)
    return mix(image, colour("#14161f"), silhouette(view, palms))


def palm(draw, x, base, tall, lean, random):
    """Draws the silhouette of a palm."""
    for part in np.linspace(0, 1, 160):
        half = tall * (0.014 - 0.006 * part)
        px, py = x + lean * tall * part ** 1.7, base - tall * part
        draw.ellipse((px - half, py - half, px + half, py + half), fill=255)
    for angle in np.linspace(-2.2, 2.2, 11) + random.normal(0, 0.2, 11):
        reach, drop = tall * random.uniform(0.26, 0.4), random.uniform(0.2, 1.0)
        spine = [(px + np.sin(angle) * reach * part, py + reach * part * (drop * part - 0.6 * np.cos(angle)))
                 for part in np.linspace(0, 1, 60)]
        draw.line(spine, fill=255, width=max(1, int(tall * 0.006)))
        for index, (fx, fy) in enumerate(spine[2:]):
            leaf = reach * 0.13 * np.sin(np.pi * min(1, 0.1 + index / 58)) ** 0.6
            for side in (-0.5, 0.5):
                end = fx + side * leaf + np.sin(angle) * leaf * 0.4, fy + leaf
                draw.line((fx, fy, *end), fill=255, width=max(1, int(tall * 0.0022)))


# Photos

Photo = collections.namedtuple("Photo", "scene focal horizon portrait taken offset place caption orientation bytes_max",
                               defaults=(1, BYTES_MAX))

# The horizon is a share of the height, from the top. A place is a latitude, a longitude and an altitude in meters.
# The sea cliffs have no EXIF at all, because `taken` is None.
PHOTOS = {
    "alps-at-dawn": Photo(alps, 0.95, 0.42, False, "2024:10:12 07:34:10", "+02:00", (46.96720, 8.63830, 1921),
                          "Alps at dawn above the fog, from the Fronalpstock"),
    "forest-lake": Photo(forest_lake, 0.9, 0.52, False, "2024:09:21 09:12:45", "+02:00", (47.27180, 8.50290, 643),
                         "Morning at the Türlersee"),
    "city-at-dusk": Photo(city, 1, 0.66, False, "2025:03:08 18:41:02", "+01:00", (47.35470, 8.55160, 406),
                          "A city at dusk, across Lake Zürich"),
    "night-sky": Photo(night_sky, 0.9, 0.8, True, "2024:08:07 23:52:30", "+02:00", (47.15380, 9.31210, 2262),
                       "Milky Way above a ridge, from the Chäserrugg"),
    "autumn-valley": Photo(autumn_valley, 0.95, 0.36, False, "2024:10:26 15:20:18", "+02:00", (47.36480, 8.92850, 735),
                           "River valley in autumn, in the Zürcher Oberland", 1, 172_000),
    "fjord-in-fog": Photo(fjord, 1.0, 0.6, True, "2023:05:18 06:47:55", "+02:00", (60.90210, 6.84120, 2),
                          "Fog in the Nærøyfjord"),
    "snow-field": Photo(snow_field, 0.85, 0.42, False, "2025:02:16 10:58:21", "+01:00", (60.60180, 7.50460, 1222),
                        "Ski track near Finse"),
    "dunes-at-sunset": Photo(dunes, 1, 0.38, False, "2023:06:29 17:04:09", "+02:00", (-24.73490, 15.35120, 640),
                             "Dunes at sunset, near Sossusvlei"),
    "volcano-island": Photo(volcano, 0.95, 0.7, False, "2023:12:03 06:55:37", "-10:00", (19.63960, -155.99690, 3),
                            "Volcano island at sunrise, Hawaii"),
    "lighthouse": Photo(lighthouse, 0.95, 0.62, True, "2025:07:11 20:02:44", "-04:00", (43.83680, -69.50590, 12),
                        "Lighthouse on the coast of Maine", 6),
    "rolling-fields": Photo(rolling_fields, 1.0, 0.44, False, "2024:05:25 16:33:51", "+02:00", None,
                            "Rolling fields with cypresses and clouds"),
    "sea-cliffs-at-noon": Photo(sea_cliffs, 0.9, 0.4, False, None, None, None, None),
}


def develop(image, random):
    """Returns the finished picture: highlights are compressed, corners are darker, and grain hides steps of colour."""
    height, width, _ = image.shape
    x, y = np.linspace(-1, 1, width)[None, :, None], np.linspace(-1, 1, height)[:, None, None]
    image = np.maximum(image, 0) * (1 - 0.1 * (x * x + y * y))
    image = np.where(image > 0.6, 0.6 + 0.4 * (1 - np.exp(-(image - 0.6) / 0.4)), image)
    image = np.where(image <= 0.0031308, image * 12.92, 1.055 * np.maximum(image, 1e-6) ** (1 / 2.4) - 0.055)
    return np.clip(image * 255 + random.normal(0, 0.8, (height, width, 1)) + 0.5, 0, 255).astype(np.uint8)


def render(photo, finer):
    """Returns a photo as a Pillow picture, upright."""
    width, height = (SHORT, LONG) if photo.portrait else (LONG, SHORT)
    image = photo.scene(View(int(width * finer), int(height * finer), photo.focal, photo.horizon, 1.0))
    bands = [Image.fromarray(np.minimum(image[..., channel], 3).astype(np.float32)) for channel in range(3)]
    if finer > 1:
        bands = [band.resize((width, height), Image.Resampling.BOX) for band in bands]
    return Image.fromarray(develop(np.stack([np.asarray(band) for band in bands], axis=-1), np.random.default_rng(7)))


def compress(picture, bytes_max):
    """Returns a JPEG file of the best quality, at most QUALITY_MAX, that has at most `bytes_max` bytes."""
    for quality in range(QUALITY_MAX, 30, -2):
        file = io.BytesIO()
        picture.save(file, "JPEG", quality=quality, optimize=True, progressive=True, subsampling="4:2:0")
        if file.tell() <= bytes_max:
            break
    return file.getvalue()


def add_exif(path, photo):
    """Writes the EXIF data of a photo with exiftool."""
    tags = {"DateTimeOriginal": photo.taken, "OffsetTimeOriginal": photo.offset, "Orientation": photo.orientation,
            "Make": "Godwit", "Model": "Rendered landscape", "Copyright": "CC0 1.0", "ImageDescription": photo.caption}
    if photo.place:
        latitude, longitude, altitude = photo.place
        tags |= {"GPSLatitude": abs(latitude), "GPSLatitudeRef": "S" if latitude < 0 else "N",
                 "GPSLongitude": abs(longitude), "GPSLongitudeRef": "W" if longitude < 0 else "E",
                 "GPSAltitude": altitude, "GPSAltitudeRef": 0}
    values = [f"-EXIF:{tag}={value}" for tag, value in tags.items()]
    subprocess.run(["exiftool", "-q", "-n", "-overwrite_original", *values, path], check=True)


def make(name, folder, finer):
    """Renders a photo into its file and returns a line about it."""
    photo = PHOTOS[name]
    picture = render(photo, finer)
    if photo.orientation == 6:
        picture = picture.transpose(Image.Transpose.ROTATE_90)
    path = folder / f"{name}.jpg"
    path.write_bytes(compress(picture, photo.bytes_max))
    if photo.taken:
        add_exif(path, photo)
    return f"{path}: {picture.width} x {picture.height} pixels, {path.stat().st_size} bytes"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(PHOTOS))
    parser.add_argument("--output", type=pathlib.Path, default=FOLDER, metavar="FOLDER")
    parser.add_argument("--draft", action="store_true", help="half the width and height, without finer pixels")
    arguments = parser.parse_args()
    if unknown := [name for name in arguments.names if name not in PHOTOS]:
        parser.error(f"There is no photo {unknown[0]}. The photos are {', '.join(PHOTOS)}.")
    if not shutil.which("exiftool"):
        sys.exit("exiftool is missing: apt-get install libimage-exiftool-perl")
    arguments.output.mkdir(parents=True, exist_ok=True)
    with concurrent.futures.ProcessPoolExecutor() as pool:
        made = [pool.submit(make, name, arguments.output, 0.5 if arguments.draft else FINER)
                for name in arguments.names or PHOTOS]
        for future in concurrent.futures.as_completed(made):
            print(future.result(), flush=True)

if __name__ == "__main__":
    main()
