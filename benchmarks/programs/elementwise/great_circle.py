# Distances on the globe between places and stations, and the nearest station of each.
# %% small
places, stations = 800, 20
# %% large
places, stations = 12_000, 60
# %% setup
import numpy as np

rng = np.random.default_rng(55)
place_lat, place_lon = rng.uniform(-80, 80, places), rng.uniform(-180, 180, places)
station_lat, station_lon = rng.uniform(-80, 80, stations), rng.uniform(-180, 180, stations)
# %% functions
def great_circle(lat1, lon1, lat2, lon2, radius=6371.0):
    lat1, lon1, lat2, lon2 = map(np.radians, (lat1, lon1, lat2, lon2))
    dlat = lat2 - lat1
    dlon = lon2 - lon1
    a = np.sin(dlat / 2) ** 2 + np.cos(lat1) * np.cos(lat2) * np.sin(dlon / 2) ** 2
    return 2 * radius * np.arctan2(np.sqrt(a), np.sqrt(1 - a))


def nearest(distance):
    which = distance.argmin(axis=1)
    return which, distance[np.arange(len(which)), which]
# %% cell
distance = great_circle(
    place_lat[:, np.newaxis], place_lon[:, np.newaxis], station_lat, station_lon
)
which, kilometres = nearest(distance)
result = distance, which, kilometres, float(kilometres.max())
# %% jax
import jax
import jax.numpy as jnp


@jax.jit
def great_circle(lat1, lon1, lat2, lon2, radius=6371.0):
    lat1, lon1, lat2, lon2 = map(jnp.radians, (lat1, lon1, lat2, lon2))
    dlat = lat2 - lat1
    dlon = lon2 - lon1
    a = jnp.sin(dlat / 2) ** 2 + jnp.cos(lat1) * jnp.cos(lat2) * jnp.sin(dlon / 2) ** 2
    return 2 * radius * jnp.arctan2(jnp.sqrt(a), jnp.sqrt(1 - a))


@jax.jit
def nearest(distance):
    which = distance.argmin(axis=1)
    return which, distance[jnp.arange(len(which)), which]
