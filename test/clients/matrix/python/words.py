MODEL = "stub-model"
MAX_TOKENS = 4000


def data_url(png):
    return f"data:image/png;base64,{png}"
